/* What is seen: lanes, axis and overview on two canvases. Only what is in sight is drawn, and of
 * many items in one column of pixels one is enough. */

const AXIS = 26;
const ROW = 15;
const ROW_GAP = 2;
const LANE_GAP = 7;
const SPAN_MIN = 20; /* microseconds that the view holds at least */

class View {
  constructor(lanes, overview, scroll, spacer) {
    this.canvas = lanes;
    this.overview = overview;
    this.scroll = scroll;
    this.spacer = spacer;
    this.model = null;
    this.t0 = 0;
    this.t1 = 1;
    this.hover = null;
    this.chosen = null;
    this.hits = null; /* a Set while something is searched for */
    this.frame = 0;
    this.onDrawn = () => {};
    this.readColors();
  }

  readColors() {
    const style = getComputedStyle(document.documentElement);
    this.colors = {};
    for (const name of ['paper', 'ink', 'quiet', 'line', 'band', 'focus', 'hit', 'read', 'write', 'watch', 'warn',
      'bad', 'fault', 'step', 'pending', 'running', 'good', 'log', 'alive', 'a', 'b', 'c', 'd'])
      this.colors[name] = style.getPropertyValue('--' + name).trim();
    this.font = '12px ' + getComputedStyle(document.body).fontFamily;
    this.small = '11px ' + getComputedStyle(document.body).fontFamily;
  }

  show(model) {
    this.model = model;
    this.hover = null;
    this.chosen = null;
    this.hits = null;
    let top = AXIS + 4;
    for (const lane of model.lanes) {
      lane.top = top;
      lane.height = lane.rows * (ROW + ROW_GAP) + LANE_GAP;
      top += lane.height;
    }
    this.bottom = top + 8;
    this.scroll.scrollTop = 0;
    this.resize();
  }

  /* --- measures --- */

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.scroll.clientWidth;
    this.height = this.scroll.clientHeight;
    for (const [canvas, height] of [[this.canvas, this.height], [this.overview, 40]]) {
      canvas.width = Math.max(1, Math.round(this.width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
      canvas.style.height = height + 'px';
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.spacer.style.height = Math.max(this.bottom || 0, this.height) + 'px';
    this.density = null;
    this.draw();
  }

  /** Columns of pixels for the lanes' titles. */
  get gutter() { return this.width < 600 ? 112 : 176; }
  get breadth() { return Math.max(50, this.width - this.gutter - 12); }
  x(t) { return this.gutter + (t - this.t0) / (this.t1 - this.t0) * this.breadth; }
  time(x) { return this.t0 + (x - this.gutter) / this.breadth * (this.t1 - this.t0); }
  y(item) { return item.lane.top + item.row * (ROW + ROW_GAP) - this.scroll.scrollTop; }

  /* --- where the view is --- */

  setWindow(t0, t1) {
    const end = this.model.end;
    const margin = end * 0.02;
    const span = Math.min(Math.max(t1 - t0, SPAN_MIN), end + 2 * margin);
    this.t0 = Math.min(Math.max(t0, -margin), end + margin - span);
    this.t1 = this.t0 + span;
    this.draw();
  }

  zoom(factor, around) {
    const at = around === undefined ? this.middle() : around;
    this.setWindow(at - (at - this.t0) * factor, at + (this.t1 - at) * factor);
  }

  /** What a zoom by key keeps in its place: the chosen event, if it is in sight. */
  middle() {
    const item = this.chosen;
    if (item !== null && item.t1 >= this.t0 && item.t0 <= this.t1)
      return (Math.max(item.t0, this.t0) + Math.min(item.t1, this.t1)) / 2;
    return (this.t0 + this.t1) / 2;
  }

  pan(share) {
    const by = (this.t1 - this.t0) * share;
    this.setWindow(this.t0 + by, this.t1 + by);
  }

  /** Brings an item into sight. */
  reveal(item) {
    const span = this.t1 - this.t0;
    if (item.t1 < this.t0 || item.t0 > this.t1 - span * 0.02) {
      const at = Math.min(item.t0, item.t1);
      this.setWindow(at - span * 0.3, at + span * 0.7);
    }
    const y = item.lane.top + item.row * (ROW + ROW_GAP);
    if (y - AXIS - 6 < this.scroll.scrollTop) this.scroll.scrollTop = y - AXIS - 6;
    else if (y + ROW + 10 > this.scroll.scrollTop + this.height) this.scroll.scrollTop = y + ROW + 10 - this.height;
    this.draw();
  }

  /* --- what is under the pointer --- */

  laneAt(y) {
    const at = y + this.scroll.scrollTop;
    if (y < AXIS) return null;
    return this.model.lanes.find((lane) => at >= lane.top && at < lane.top + lane.height) || null;
  }

  /** The item at a point, or close beside it; the last drawn first. */
  itemAt(x, y) {
    const lane = this.laneAt(y);
    if (lane === null || x < this.gutter) return null;
    const row = Math.min(lane.rows - 1, Math.floor((y + this.scroll.scrollTop - lane.top) / (ROW + ROW_GAP)));
    let best = null;
    let distance = 6;
    for (const item of lane.items) {
      if (item.row !== row) continue;
      const left = this.x(item.t0);
      const right = Math.max(this.x(item.t1), left + 2);
      const away = x < left ? left - x : x > right ? x - right : 0;
      if (away < distance || away === distance && best !== null && (item.severe || !best.severe)) {
        best = item;
        distance = away;
      }
    }
    return best;
  }

  /* --- drawing --- */

  draw() {
    if (this.frame !== 0 || this.model === null) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const began = performance.now();
      this.drawLanes();
      this.drawOverview();
      performance.clearMeasures('draw');
      performance.measure('draw', { start: began, end: performance.now() });
      this.onDrawn();
    });
  }

  drawLanes() {
    const context = this.canvas.getContext('2d');
    const { colors } = this;
    context.fillStyle = colors.paper;
    context.fillRect(0, 0, this.width, this.height);
    context.textBaseline = 'middle';
    const ticks = this.ticks();
    this.drawGrid(context, ticks);
    const top = this.scroll.scrollTop;
    context.save();
    context.beginPath();
    context.rect(0, AXIS, this.width, this.height - AXIS);
    context.clip();
    this.drawnCount = 0;
    for (const lane of this.model.lanes) {
      if (lane.top + lane.height < top + AXIS || lane.top > top + this.height) continue;
      this.drawLane(context, lane);
    }
    context.restore();
    this.drawFailure(context);
    this.drawAxis(context, ticks);
  }

  ticks() {
    const wanted = (this.t1 - this.t0) / Math.max(2, this.breadth / 105);
    const steps = [60e6, 120e6, 300e6, 600e6, 1800e6, 3600e6, 7200e6, 21600e6, 43200e6, 86400e6];
    let step = 1;
    while (step < wanted && step < 10e6) {
      const lead = Number(String(step)[0]);
      step = lead === 1 ? step * 2 : lead === 2 ? step * 2.5 : step * 2;
    }
    if (step < wanted) step = wanted <= 15e6 ? 15e6 : wanted <= 30e6 ? 30e6 : steps.find((s) => s >= wanted) || 86400e6;
    const list = [];
    for (let t = Math.ceil(Math.max(0, this.t0) / step) * step; t <= Math.min(this.t1, this.model.end); t += step)
      list.push(t);
    return { step, list };
  }

  drawGrid(context, ticks) {
    const { colors, model } = this;
    const top = this.scroll.scrollTop;
    model.lanes.forEach((lane, index) => {
      if (index % 2 === 1) return;
      context.fillStyle = colors.band;
      context.fillRect(0, lane.top - top - LANE_GAP / 2, this.width, lane.height);
    });
    context.fillStyle = colors.line;
    for (const t of ticks.list) context.fillRect(Math.round(this.x(t)), AXIS, 1, this.height);
  }

  drawAxis(context, ticks) {
    const { colors } = this;
    context.fillStyle = colors.paper;
    context.fillRect(0, 0, this.width, AXIS);
    context.fillStyle = colors.line;
    context.fillRect(0, AXIS - 1, this.width, 1);
    context.font = this.small;
    context.fillStyle = colors.quiet;
    context.textAlign = 'left';
    context.fillText('virtual time', 16, AXIS / 2);
    context.textAlign = 'center';
    for (const t of ticks.list) {
      const x = this.x(t);
      if (this.model.failed !== null && Math.abs(x - this.x(this.model.end)) < 50) continue;
      if (x > this.gutter - 1 && x < this.width - 18) context.fillText(timeText(t, ticks.step), x, AXIS / 2);
    }
    context.textAlign = 'left';
    if (this.model.failed !== null && this.failureX() !== null) this.drawFlag(context);
  }

  failureX() {
    const x = this.x(this.model.end);
    return x >= this.gutter && x <= this.width ? x : null;
  }

  drawFailure(context) {
    if (this.model.failed === null || this.failureX() === null) return;
    context.fillStyle = this.colors.bad;
    context.fillRect(Math.round(this.failureX()) - 1, AXIS, 2, this.height);
  }

  drawFlag(context) {
    const x = Math.round(this.failureX());
    const width = 50;
    const left = Math.min(x - width / 2, this.width - width - 2);
    context.fillStyle = this.colors.bad;
    context.beginPath();
    context.roundRect(left, 4, width, AXIS - 8, 5);
    context.fill();
    context.fillStyle = this.colors.paper;
    context.textAlign = 'center';
    context.font = '600 ' + this.small;
    context.fillText('failed', left + width / 2, AXIS / 2 + 0.5);
    context.textAlign = 'left';
  }

  drawLane(context, lane) {
    const y = lane.top - this.scroll.scrollTop;
    context.save();
    context.beginPath();
    context.rect(this.gutter, AXIS, this.width - this.gutter, this.height);
    context.clip();
    if (lane.life.length > 0) this.drawLife(context, lane, y);
    this.drawItems(context, lane, false);
    this.drawItems(context, lane, true);
    context.restore();
    context.fillStyle = this.colors.ink;
    context.font = this.font;
    context.fillText(this.fit(context, lane.title, this.gutter - 28), 16, y + ROW / 2 + 0.5);
  }

  /** When a process is alive: a line at the lane's left of all its rows; dashed while it is stopped. */
  drawLife(context, lane, y) {
    const height = lane.rows * (ROW + ROW_GAP) - ROW_GAP;
    for (const [from, to, paused] of lane.life) {
      const left = Math.max(this.x(from), this.gutter);
      const right = Math.min(this.x(to), this.width);
      if (right < left) continue;
      context.globalAlpha = paused ? 0.22 : 0.1;
      context.fillStyle = paused ? this.colors.warn : this.colors.alive;
      context.fillRect(left, y - 1, Math.max(1, right - left), height + 2);
      context.globalAlpha = 1;
      context.fillStyle = paused ? this.colors.warn : this.colors.alive;
      context.fillRect(left, y - 2, Math.max(1, right - left), 1);
    }
  }

  drawItems(context, lane, severe) {
    const last = new Map();
    for (const item of lane.items) {
      if (item.t0 > this.t1) break;
      if (item.t1 < this.t0 || Boolean(item.severe) !== severe) continue;
      const left = this.x(item.t0);
      const width = this.x(item.t1) - left;
      const special = item === this.chosen || item === this.hover || this.hits !== null && this.hits.has(item);
      const slot = item.row * 64 + TONES.indexOf(item.tone);
      if (width < 1.5 && !special && left - (last.has(slot) ? last.get(slot) : -9) < 1) continue;
      if (width < 1.5) last.set(slot, left);
      this.drawnCount++;
      this.drawItem(context, item, left, width);
    }
  }

  drawItem(context, item, left, width) {
    const y = this.y(item);
    const color = this.colors[item.tone];
    const hit = this.hits !== null && this.hits.has(item);
    context.globalAlpha = this.hits !== null && !hit ? 0.18 : 1;
    context.fillStyle = color;
    if (width < 3) this.drawMark(context, item, left, y);
    else this.drawBar(context, item, left, y, width);
    context.globalAlpha = 1;
    if (item === this.chosen || item === this.hover || hit) {
      context.strokeStyle = item === this.chosen ? this.colors.focus : hit ? this.colors.hit : this.colors.ink;
      context.lineWidth = item === this.chosen ? 2 : 1;
      context.strokeRect(Math.max(left, this.gutter) - 2.5, y - 1.5, Math.min(Math.max(width, 3), this.width) + 5, ROW + 3);
    }
  }

  /** Something that takes no time, or too little to be seen. */
  drawMark(context, item, x, y) {
    if (item.tone === 'fault') {
      context.beginPath();
      context.moveTo(x, y + 1);
      context.lineTo(x + 6, y + ROW / 2);
      context.lineTo(x, y + ROW - 1);
      context.lineTo(x - 6, y + ROW / 2);
      context.fill();
    } else if (item.dot) {
      context.beginPath();
      context.arc(x, y + ROW / 2, item.severe ? 3.5 : 2.2, 0, 7);
      context.fill();
    } else {
      const inset = item.tone === 'read' || item.tone === 'watch' ? 3 : 0;
      context.fillRect(x - 1, y + inset, item.severe ? 3 : 2, ROW - 2 * inset);
    }
  }

  drawBar(context, item, left, y, width) {
    const from = Math.max(left, this.gutter - 4);
    const to = Math.min(left + width, this.width + 4);
    const alpha = context.globalAlpha;
    if (item.tone === 'watch') {
      context.fillRect(from, y + ROW / 2 - 1.5, to - from, 3);
      context.fillRect(from, y + 3, 2, ROW - 6);
      return;
    }
    context.globalAlpha = alpha * 0.25;
    context.beginPath();
    context.roundRect(from, y, to - from, ROW, 3);
    context.fill();
    context.globalAlpha = alpha;
    context.fillRect(from, y, 2.5, ROW);
    if (to - from > 34) {
      context.fillStyle = this.colors.ink;
      context.font = this.small;
      context.fillText(this.fit(context, item.label, to - from - 12), from + 7, y + ROW / 2 + 0.5);
    }
  }

  /** As much of a text as there is room for. */
  fit(context, text, room) {
    let shown = text.length > 200 ? text.slice(0, 200) + '\u2026' : text;
    if (context.measureText(shown).width <= room) return shown;
    let low = 0;
    let high = Math.min(text.length, 200);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (context.measureText(text.slice(0, middle) + '\u2026').width <= room) low = middle;
      else high = middle - 1;
    }
    return low === 0 ? '' : text.slice(0, low) + '\u2026';
  }

  /* --- the overview --- */

  overviewX(t) { return this.gutter + t / this.model.end * this.breadth; }
  overviewTime(x) { return (x - this.gutter) / this.breadth * this.model.end; }

  /** How many items begin in each column, and where any is severe. */
  measureDensity() {
    const columns = Math.floor(this.breadth) + 1;
    const counts = new Uint32Array(columns);
    const severe = new Uint8Array(columns);
    for (const item of this.model.items) {
      const column = Math.min(columns - 1, Math.max(0, Math.floor(item.t0 / this.model.end * this.breadth)));
      counts[column]++;
      if (item.severe) severe[column] = item.tone === 'fault' ? severe[column] || 1 : 2;
    }
    this.density = { counts, severe, most: counts.reduce((a, b) => Math.max(a, b), 1) };
  }

  drawOverview() {
    const context = this.overview.getContext('2d');
    const { colors } = this;
    if (this.density === null) this.measureDensity();
    const { counts, severe, most } = this.density;
    context.fillStyle = colors.paper;
    context.fillRect(0, 0, this.width, 40);
    for (let i = 0; i < counts.length; i++) {
      if (counts[i] === 0) continue;
      const height = 4 + 22 * Math.log(1 + counts[i]) / Math.log(1 + most);
      context.fillStyle = severe[i] === 2 ? colors.bad : severe[i] === 1 ? colors.fault : colors.read;
      context.fillRect(this.gutter + i, 34 - height, 1, height);
    }
    const left = Math.max(this.overviewX(this.t0), this.gutter - 3);
    const right = Math.min(this.overviewX(this.t1), this.gutter + this.breadth + 3);
    context.globalAlpha = 0.14;
    context.fillStyle = colors.focus;
    context.fillRect(left, 4, Math.max(2, right - left), 32);
    context.globalAlpha = 1;
    context.strokeStyle = colors.focus;
    context.lineWidth = 1;
    context.strokeRect(Math.round(left) + 0.5, 4.5, Math.max(2, Math.round(right - left)), 31);
    context.font = this.small;
    context.fillStyle = colors.quiet;
    context.textBaseline = 'middle';
    context.fillText(this.fit(context, 'whole run, ' + spanText(this.model.end), this.gutter - 22), 16, 20);
    context.fillStyle = colors.line;
    context.fillRect(0, 39, this.width, 1);
  }
}

const TONES = ['read', 'write', 'watch', 'warn', 'bad', 'fault', 'step', 'pending', 'running', 'good', 'log',
  'a', 'b', 'c', 'd'];
