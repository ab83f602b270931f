/* What people do with the page: keys, pointer, search, details. */

const element = (id) => document.getElementById(id);

/** An element with a text; nothing of a run ever becomes markup. */
function make(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name !== undefined) made.className = name;
  return made;
}

const data = readData(element('data').textContent);
const view = new View(element('lanes'), element('overview'), element('scroll'), element('height'));
let model = null;

/* --- the chosen event --- */

function describe(item) {
  return item.label + ', ' + item.lane.title + ', at ' + timeText(item.t0)
    + (item.t1 > item.t0 ? ', ' + spanText(item.t1 - item.t0) : '');
}

function showEvent(item) {
  const box = element('event');
  box.replaceChildren();
  if (item === null) {
    box.append(make('p', 'None chosen. Point at one, or press an arrow key.', 'quiet'));
    return;
  }
  const list = make('dl');
  const rows = [['Lane', item.lane.title], ['Time', timeText(item.t0)]];
  if (item.t1 > item.t0) rows.push(['Until', timeText(item.t1) + (item.open ? ' (the end of the run)' : '')],
    ['Took', spanText(item.t1 - item.t0)]);
  for (const [key, value] of rows.concat(item.fields.slice(0, 40))) {
    if (value === '' || value === undefined || value === null) continue;
    list.append(make('dt', key), make('dd', String(value)));
  }
  box.append(make('p', item.label, 'title'), list);
}

function choose(item) {
  view.chosen = item;
  showEvent(item);
  if (item !== null) view.reveal(item);
  else view.draw();
}

/** The next event of the lane, or the one before. */
function step(by) {
  const lane = view.chosen === null ? firstLane() : view.chosen.lane;
  if (lane === null) return;
  if (view.chosen === null) {
    choose(lane.items.find((item) => item.t1 >= view.t0) || lane.items[0]);
    return;
  }
  const items = lane.items;
  choose(items[Math.min(items.length - 1, Math.max(0, items.indexOf(view.chosen) + by))]);
}

function firstLane() {
  return model.lanes.find((lane) => lane.items.length > 0) || null;
}

function stepLane(by) {
  if (view.chosen === null) {
    step(0);
    return;
  }
  const at = view.chosen.t0;
  let index = model.lanes.indexOf(view.chosen.lane) + by;
  while (index >= 0 && index < model.lanes.length && model.lanes[index].items.length === 0) index += by;
  if (index < 0 || index >= model.lanes.length) return;
  choose(model.lanes[index].items.reduce((best, item) =>
    Math.abs(item.t0 - at) < Math.abs(best.t0 - at) ? item : best));
}

function stepToEnd(last) {
  const lane = view.chosen === null ? firstLane() : view.chosen.lane;
  if (lane !== null) choose(lane.items[last ? lane.items.length - 1 : 0]);
}

/* --- search --- */

function textOf(item) {
  if (item.text === undefined)
    item.text = (item.lane.title + ' ' + item.label + ' ' + item.fields.map((field) => field[1]).join(' ')).toLowerCase();
  return item.text;
}

function search(text) {
  const wanted = text.trim().toLowerCase();
  view.hits = wanted === '' ? null : new Set(model.items.filter((item) => textOf(item).includes(wanted)));
  showHits();
  view.draw();
}

function showHits() {
  const hits = view.hits === null ? [] : [...view.hits];
  const at = hits.indexOf(view.chosen);
  element('hits').textContent = view.hits === null ? '' : hits.length === 0 ? 'no hit'
    : (at < 0 ? '' : at + 1 + ' of ') + hits.length + (at < 0 && hits.length === 1 ? ' hit' : at < 0 ? ' hits' : '');
}

function stepHit(by) {
  const hits = view.hits === null ? [] : [...view.hits];
  if (hits.length === 0) return;
  const at = hits.indexOf(view.chosen);
  const from = view.chosen === null ? view.t0 : view.chosen.t0;
  let next = at + by;
  if (at < 0) {
    next = hits.findIndex((item) => item.t0 >= from);
    if (by < 0) next = next < 0 ? hits.length - 1 : next - 1;
  }
  choose(hits[(next + hits.length) % hits.length]);
  showHits();
}

/* --- where to look --- */

function showAll() {
  view.setWindow(-Infinity, Infinity);
}

/** The failing assertion, and what led to it. */
function showFailure() {
  if (model.failed === null) {
    showAll();
    return;
  }
  const end = model.end;
  const item = model.failed.item;
  const from = Math.max(0, Math.min(item === null ? end : item.t0, end - 20e6));
  view.setWindow(from - (end - from) * 0.05, end + (end - from) * 0.05);
  if (item !== null) choose(item);
}

/* --- a run --- */

const MARKS = { 'passed': '\u2713', 'failed': '\u2717', 'not reached': '\u2013' };

function showChecks(result) {
  const list = element('checks');
  list.replaceChildren();
  for (const check of result.checks) {
    const row = make('li', undefined, check.verdict === 'not reached' ? 'unreached' : check.verdict);
    const button = make('button');
    const mark = make('span', MARKS[check.verdict], 'mark');
    mark.setAttribute('aria-hidden', 'true');
    button.append(mark, make('span', check.name, 'of'), make('span', check.begun_us < 0 || check.line === 0 ? '' : timeText(check.begun_us, 1e3), 'at'));
    button.setAttribute('aria-label', check.name + ', ' + check.verdict);
    button.disabled = check.item === null;
    button.addEventListener('click', () => choose(check.item));
    row.append(button);
    list.append(row);
  }
  const passed = result.checks.filter((check) => check.verdict === 'passed').length;
  element('tally').textContent = passed + ' of ' + result.checks.length + ' passed'
    + (result.checks_left_out > 0 ? ', ' + result.checks_left_out + ' more' : '');
}

function showFailureCard(run) {
  const { result } = run;
  const failed = result.verdict === 'failed';
  element('failure').hidden = !failed;
  element('fail').hidden = !failed;
  if (!failed) return;
  element('reason').textContent = result.reason || '';
  element('where').textContent = model.failed === null ? ''
    : (model.failed.line > 0 ? result.path + ':' + model.failed.line + ': ' : '') + model.failed.name;
  element('details').textContent = result.details || '';
  element('command').textContent = run.command;
  element('story').textContent = result.story || '';
  element('story-box').hidden = !result.story;
}

function showRun(run) {
  const { result } = run;
  model = new Model(run);
  document.title = result.scenario + ' \u2013 timeline';
  element('name').textContent = result.scenario;
  element('verdict').textContent = result.verdict;
  element('verdict').className = 'verdict ' + result.verdict;
  element('facts').textContent = 'seed ' + result.seed + ' \u00b7 ' + spanText(result.virtual_us) + ' of virtual time \u00b7 '
    + model.eventCount.toLocaleString('en') + ' events \u00b7 trace ' + (result.hash || '').slice(0, 12);
  element('search').value = '';
  showHits();
  showChecks(result);
  showFailureCard(run);
  showEvent(null);
  view.show(model);
  showFailure();
}

function showReadout() {
  const seen = model.items.filter((item) => item.t1 >= view.t0 && item.t0 <= view.t1).length;
  element('readout').textContent = timeText(Math.max(0, view.t0), 1e3) + ' to ' + timeText(Math.min(view.t1, model.end), 1e3)
    + ' \u00b7 ' + seen.toLocaleString('en') + ' of ' + model.items.length.toLocaleString('en') + ' items in sight'
    + (model.leftOut > 0 ? ' \u00b7 ' + model.leftOut.toLocaleString('en') + ' events did not fit into the trace' : '')
    + (data.leftOut > 0 ? ' \u00b7 ' + data.leftOut.toLocaleString('en') + ' runs did not fit into this page' : '');
}

view.onDrawn = () => {
  showReadout();
  if (performance.getEntriesByName('first paint').length === 0) performance.mark('first paint');
};

/* --- keys --- */

const KEYS = {
  '+': () => view.zoom(0.5), '=': () => view.zoom(0.5), '-': () => view.zoom(2), '_': () => view.zoom(2),
  '0': showAll, 'f': showFailure, 'F': showFailure,
  'n': () => stepHit(1), 'N': () => stepHit(1), 'p': () => stepHit(-1), 'P': () => stepHit(-1),
  '/': () => { element('search').focus(); element('search').select(); },
  '?': () => element('keys').showModal(),
};

const LANE_KEYS = {
  'ArrowRight': (event) => event.shiftKey ? view.pan(0.2) : step(1),
  'ArrowLeft': (event) => event.shiftKey ? view.pan(-0.2) : step(-1),
  'ArrowDown': () => stepLane(1), 'ArrowUp': () => stepLane(-1),
  'Home': () => stepToEnd(false), 'End': () => stepToEnd(true),
  'PageDown': () => { view.scroll.scrollTop += view.height * 0.8; },
  'PageUp': () => { view.scroll.scrollTop -= view.height * 0.8; },
  'Enter': () => element('aside').focus(),
  'Escape': () => choose(null),
};

function onKey(event) {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || element('keys').open) return;
  if (target.id === 'search') {
    if (event.key === 'Enter') stepHit(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') { target.value = ''; search(''); element('lanes').focus(); }
    else return;
  } else if (target.tagName === 'SELECT') {
    return;
  } else if ((target.id === 'lanes' || target === document.body) && LANE_KEYS[event.key] !== undefined) {
    LANE_KEYS[event.key](event);
  } else if (event.key === 'Escape') {
    element('lanes').focus();
  } else if (KEYS[event.key] !== undefined) {
    KEYS[event.key]();
  } else {
    return;
  }
  event.preventDefault();
}

/* --- the pointer --- */

function showTip(item, x, y) {
  const tip = element('tip');
  tip.hidden = item === null;
  if (item === null) return;
  tip.replaceChildren(make('b', item.label.length > 300 ? item.label.slice(0, 300) + '\u2026' : item.label),
    make('span', timeText(item.t0) + (item.t1 > item.t0 ? ' \u00b7 ' + spanText(item.t1 - item.t0) : '')
      + ' \u00b7 ' + item.lane.title + (item.fault ? ' \u00b7 hit by a fault' : '')));
  const stage = element('stage').getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x - stage.left + 14, stage.width - tip.offsetWidth - 8)) + 'px';
  tip.style.top = (y - stage.top + 18 + tip.offsetHeight > stage.height
    ? y - stage.top - tip.offsetHeight - 10 : y - stage.top + 18) + 'px';
}

function watchPointer(canvas) {
  let drag = null;
  canvas.addEventListener('pointerdown', (event) => {
    drag = { x: event.clientX, t0: view.t0, t1: view.t1, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const box = canvas.getBoundingClientRect();
    if (drag !== null && (drag.moved || Math.abs(event.clientX - drag.x) > 3)) {
      const by = (drag.x - event.clientX) / view.breadth * (drag.t1 - drag.t0);
      drag.moved = true;
      canvas.classList.add('dragging');
      showTip(null);
      view.setWindow(drag.t0 + by, drag.t1 + by);
      return;
    }
    const item = view.itemAt(event.clientX - box.left, event.clientY - box.top);
    showTip(item, event.clientX, event.clientY);
    if (item !== view.hover) {
      view.hover = item;
      view.draw();
    }
  });
  canvas.addEventListener('pointerup', (event) => {
    const box = canvas.getBoundingClientRect();
    canvas.classList.remove('dragging');
    if (drag !== null && !drag.moved) {
      const item = view.itemAt(event.clientX - box.left, event.clientY - box.top);
      if (item !== null || event.clientX - box.left >= view.gutter) choose(item);
    }
    drag = null;
  });
  canvas.addEventListener('pointerleave', () => {
    showTip(null);
    view.hover = null;
    view.draw();
  });
  canvas.addEventListener('dblclick', (event) => view.zoom(0.4, view.time(event.clientX - canvas.getBoundingClientRect().left)));
  canvas.addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey)
      view.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.012), view.time(event.clientX - canvas.getBoundingClientRect().left));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      view.pan((event.deltaX || event.deltaY) / view.breadth);
    else return;
    event.preventDefault();
  }, { passive: false });
}

function watchOverview(canvas) {
  let dragging = false;
  const go = (event) => {
    const at = view.overviewTime(event.clientX - canvas.getBoundingClientRect().left);
    const half = (view.t1 - view.t0) / 2;
    view.setWindow(at - half, at + half);
  };
  canvas.addEventListener('pointerdown', (event) => {
    dragging = true;
    canvas.setPointerCapture(event.pointerId);
    go(event);
  });
  canvas.addEventListener('pointermove', (event) => { if (dragging) go(event); });
  canvas.addEventListener('pointerup', () => { dragging = false; });
}

/* --- the page --- */

const LEGEND = [['write', 'a write'], ['read', 'a read'], ['watch', 'a watch'], ['warn', 'refused, or a warning'],
  ['bad', 'failed'], ['fault', 'a fault, or something done to the world'], ['pending', 'waiting'], ['running', 'running'],
  ['good', 'ended well'], ['log', 'a line of a log, a renewal']];

function showLegend() {
  const list = element('legend');
  list.replaceChildren();
  for (const [tone, text] of LEGEND) {
    const row = make('li');
    const sample = make('canvas');
    sample.width = 36;
    sample.height = 28;
    sample.style.width = '18px';
    sample.style.height = '14px';
    const context = sample.getContext('2d');
    context.scale(2, 2);
    context.fillStyle = view.colors[tone];
    context.fillRect(1, 2, 16, 10);
    row.append(sample, text);
    list.append(row);
  }
}

function showRuns() {
  const select = element('runs');
  element('runs-label').hidden = data.runs.length < 2;
  element('name').className = data.runs.length < 2 ? '' : 'unseen';
  for (const run of data.runs)
    select.append(make('option', (run.result.verdict === 'failed' ? '\u2717 ' : '') + run.result.scenario));
  select.addEventListener('change', () => showRun(data.runs[select.selectedIndex]));
}

async function copyCommand() {
  const code = element('command');
  getSelection().selectAllChildren(code);
  try {
    await navigator.clipboard.writeText(code.textContent);
    element('copy').textContent = 'Copied';
  } catch {
    element('copy').textContent = 'Selected';
  }
}

function start() {
  document.addEventListener('keydown', onKey);
  watchPointer(element('lanes'));
  watchOverview(element('overview'));
  element('scroll').addEventListener('scroll', () => view.draw());
  new ResizeObserver(() => { if (model !== null) view.resize(); }).observe(element('scroll'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    view.readColors();
    showLegend();
    view.draw();
  });
  element('search').addEventListener('input', () => search(element('search').value));
  element('in').addEventListener('click', KEYS['+']);
  element('out').addEventListener('click', KEYS['-']);
  element('all').addEventListener('click', showAll);
  element('fail').addEventListener('click', showFailure);
  element('help').addEventListener('click', KEYS['?']);
  element('copy').addEventListener('click', copyCommand);
  showLegend();
  showRuns();
  if (data.runs.length > 0) showRun(data.runs[0]);
  else element('name').textContent = 'There is no run in this page';
}

start();
