'use strict';
/* The data of the page as runs, and a run as lanes of items. A trace's format is told in
 * scenarios/README.md. What stands in it is anybody's: it reaches the page as text alone. */

/** The lines of the data: a head, then of each run its result and its events, not parsed yet. */
function readData(text) {
  const data = { leftOut: 0, runs: [] };
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('{"format":')) {
      data.leftOut = JSON.parse(line).left_out;
    } else if (line.startsWith('{"run":')) {
      const head = JSON.parse(line);
      data.runs.push({ result: head.run, command: head.command, lines: [] });
    } else {
      data.runs[data.runs.length - 1].lines.push(line);
    }
  }
  return data;
}

/* --- texts --- */

/** "1:23.456": as exact as a step of so many microseconds needs it, or as it is. */
function timeText(us, step = 0) {
  const digits = step === 0 ? (us % 1000 === 0 ? 3 : 6)
    : Math.max(0, Math.ceil(-Math.log10(step / 1e6) - 1e-9));
  const scale = 10 ** digits;
  let left = Math.round(Math.abs(us) / 1e6 * scale);
  const fraction = digits === 0 ? '' : '.' + String(left % scale).padStart(digits, '0');
  left = Math.floor(left / scale);
  const hours = Math.floor(left / 3600);
  const minutes = Math.floor(left / 60) % 60;
  const seconds = String(left % 60).padStart(2, '0');
  return (us < 0 ? '-' : '') + (hours > 0 ? hours + ':' + String(minutes).padStart(2, '0') : minutes)
    + ':' + seconds + fraction;
}

/** "340 us", "12.5 ms", "3.2 s", "4 min 10 s". */
function spanText(us) {
  if (us < 1000) return Math.round(us) + ' \u00b5s';
  if (us < 1e6) return Number((us / 1e3).toPrecision(4)) + ' ms';
  if (us < 60e6) return Number((us / 1e6).toPrecision(4)) + ' s';
  if (us < 3600e6) return Math.floor(us / 60e6) + ' min ' + Math.round(us % 60e6 / 1e6) + ' s';
  return Math.floor(us / 3600e6) + ' h ' + Math.round(us % 3600e6 / 60e6) + ' min';
}

/** "agents/hello/status" of a whole path; what is asked of a list is left out. */
function shortTarget(target) {
  const path = target.split('?')[0];
  const parts = path.match(/^\/apis?\/(?:[^/]+\/)?v[^/]+\/(?:namespaces\/[^/]+\/)?(.+)$/);
  return parts ? parts[1] : path;
}

function isWatch(target) {
  return /[?&]watch=(1|true)/.test(target);
}

/* --- lanes --- */

/** Rows that the items of one group of a lane get at most, so that they do not overlap. */
const GROUP_ROWS_MAX = 4;

/** A lane: its groups of items lie below one another, each in as many rows as it needs. */
class Lane {
  constructor(title) {
    this.title = title;
    this.rows = 1;
    this.items = [];
    this.life = []; /* of a process: [from, to, paused] */
  }

  /** Gives each item its row. */
  arrange() {
    this.items.sort((a, b) => a.t0 - b.t0 || a.group - b.group);
    let first = 0;
    for (const group of [...new Set(this.items.map((item) => item.group))].sort((a, b) => a - b)) {
      const ends = [];
      for (const item of this.items) {
        if (item.group !== group) continue;
        let row = ends.findIndex((end) => end <= item.t0);
        if (row < 0) row = Math.min(ends.length, GROUP_ROWS_MAX - 1);
        ends[row] = Math.max(item.t1, ends[row] || 0);
        item.row = first + row;
      }
      first += ends.length;
    }
    this.rows = Math.max(1, first);
  }
}

class Model {
  constructor(run) {
    this.result = run.result;
    this.end = Math.max(run.result.virtual_us, 1);
    this.steps = new Lane('Steps');
    this.faults = new Lane('Faults and notes');
    this.processes = new Map();
    this.leases = new Map();
    this.objects = new Map();
    this.others = new Lane('Other objects');
    this.exchanges = new Map();
    this.eventCount = 0;
    this.leftOut = 0;
    this.addChecks();
    for (const line of run.lines) this.take(JSON.parse(line));
    this.finish();
  }

  add(lane, group, item) {
    item.lane = lane;
    item.group = group;
    item.fields = item.fields || [];
    lane.items.push(item);
    return item;
  }

  process(name) {
    let lane = this.processes.get(name);
    if (lane === undefined) {
      lane = new Lane(name);
      this.processes.set(name, lane);
    }
    return lane;
  }

  /* --- what was asserted --- */

  addChecks() {
    for (const check of this.result.checks) {
      const failed = check.verdict === 'failed';
      const general = check.line === 0;
      check.item = null;
      if (check.begun_us < 0 || general && !failed) continue;
      const t0 = general ? this.end : check.begun_us;
      const t1 = check.ended_us < 0 ? this.end : check.ended_us;
      check.item = this.add(this.steps, 0, {
        t0, t1, tone: failed ? 'bad' : check.verdict === 'passed' ? 'step' : 'pending',
        severe: failed, label: check.name,
        fields: [['Verdict', check.verdict],
          ['In the file', general ? '' : this.result.path + ':' + check.line],
          ['Reason', failed ? this.result.reason : '']],
      });
    }
  }

  /* --- events --- */

  take(event) {
    this.eventCount++;
    const handler = HANDLERS[event.event];
    if (handler !== undefined) handler.call(this, event);
  }

  born(event) {
    const lane = this.process(event.process);
    lane.life.push([event.at_us, this.end, false]);
    this.tell(event, 'starts', 'good');
  }

  died(event, what) {
    const life = this.process(event.process).life;
    if (life.length > 0) life[life.length - 1][1] = event.at_us;
    for (const item of this.process(event.process).items) {
      if (item.t1 >= item.t0) continue;
      item.t1 = event.at_us;
      item.fields.push(['Ended', 'with its process']);
    }
    this.tell(event, what, 'bad');
  }

  paused(event, paused) {
    const life = this.process(event.process).life;
    if (life.length > 0) life[life.length - 1][1] = event.at_us;
    life.push([event.at_us, this.end, paused]);
    this.tell(event, paused ? 'is stopped' : 'goes on', 'warn');
  }

  /** A marker in the row of a process that has its log. */
  tell(event, text, tone) {
    this.add(this.process(event.process), 2, {
      t0: event.at_us, t1: event.at_us, tone, severe: tone !== 'log' && tone !== 'good', dot: true, label: text,
      fields: [['Process', event.process]],
    });
  }

  sent(event) {
    const watch = isWatch(event.target);
    const write = event.method !== 'GET';
    const item = this.add(this.process(event.process), watch ? 1 : 0, {
      t0: event.at_us, t1: -1, tone: watch ? 'watch' : write ? 'write' : 'read',
      label: (watch ? 'watch ' : event.method + ' ') + shortTarget(event.target),
      fields: [['From', event.process], ['To', event.peer], ['Request', event.method + ' ' + event.target],
        ['Body', event.bytes === undefined ? '' : event.bytes + ' bytes']],
    });
    this.exchanges.set(event.exchange, { client: item, served: null, status: 0 });
  }

  arrived(event) {
    const exchange = this.exchanges.get(event.exchange) || { client: null, served: null, status: 0 };
    this.exchanges.set(event.exchange, exchange);
    const watch = isWatch(event.target);
    const write = event.method !== 'GET';
    if (exchange.client !== null) exchange.client.fields.push(['Arrived', timeText(event.at_us)]);
    exchange.served = this.add(this.process(event.process), write ? 0 : 1, {
      t0: event.at_us, t1: event.at_us, tone: write ? 'write' : watch ? 'watch' : 'read',
      label: (watch ? 'watch ' : event.method + ' ') + shortTarget(event.target) + ' from ' + event.peer,
      fields: [['From', event.peer], ['Request', event.method + ' ' + event.target]],
    });
  }

  answered(event) {
    const exchange = this.exchanges.get(event.exchange);
    if (exchange === undefined) return;
    if (exchange.client !== null) exchange.client.fields.push(['Answered', timeText(event.at_us)]);
    if (exchange.served === null) return;
    exchange.served.t1 = event.at_us;
    exchange.served.label += ' \u2192 ' + event.status;
    exchange.served.fields.push(['Status', String(event.status)]);
    if (event.status >= 400) exchange.served.tone = event.status >= 500 ? 'bad' : 'warn';
    exchange.served.severe = event.status >= 400 && event.status !== 404;
  }

  received(event) {
    const exchange = this.exchanges.get(event.exchange);
    if (exchange === undefined || exchange.client === null) return;
    exchange.client.label += ' \u2192 ' + event.status;
    exchange.client.fields.push(['Status', String(event.status)]);
    if (event.status >= 400) exchange.client.tone = event.status >= 500 ? 'bad' : 'warn';
    exchange.client.severe = event.status >= 400 && event.status !== 404;
  }

  ended(event) {
    const exchange = this.exchanges.get(event.exchange);
    if (exchange === undefined || exchange.client === null || exchange.client.t1 >= 0) return;
    const item = exchange.client;
    const cancelled = event.event === 'cancelled';
    item.t1 = event.at_us;
    if (!cancelled && event.end === undefined) return;
    item.fields.push(['Ended', cancelled ? 'given up by its sender' : [event.end, event.text].filter(Boolean).join(': ')]);
    if (cancelled) return;
    item.label += ' \u2192 ' + event.end;
    item.tone = 'bad';
    item.severe = true;
  }

  logged(event) {
    const tones = { 0: 'log', 1: 'log', 2: 'warn', 3: 'bad' };
    this.tell(event, event.text, tones[event.number || 0] || 'bad');
  }

  faulted(event) {
    const exchange = this.exchanges.get(event.exchange);
    const of = exchange === undefined ? null : exchange.client || exchange.served;
    const name = event.text || 'fault of line ' + event.line;
    if (of !== null) {
      of.fields.push(['Fault', name]);
      of.fault = true;
    }
    this.add(this.faults, 0, {
      t0: event.at_us, t1: event.at_us, tone: 'fault', severe: true,
      label: name + (of === null ? '' : ': ' + of.label),
      fields: [['In the file', this.result.path + ':' + event.line], ['Process', event.process || '']],
    });
  }

  noted(event) {
    this.add(this.faults, 0, {
      t0: event.at_us, t1: event.at_us, label: event.text,
      tone: event.text === 'all faults are lifted' ? 'good' : 'fault', severe: event.text !== 'all faults are lifted',
    });
  }

  /* --- objects --- */

  changed(event) {
    if (event.resource === 'leases') this.leaseChanged(event);
    else if (event.resource === 'agents') this.objectChanged(event, event.name, 'Agent', 0);
    else if (event.resource === 'jobs') this.objectChanged(event, event.owner || event.name, 'Job', 1);
    else if (event.change !== 'present') this.otherChanged(event);
  }

  fieldsOf(event) {
    return [['Change', event.change], ['Namespace', event.namespace || ''], ['Version', event.version || '']];
  }

  otherChanged(event) {
    this.add(this.others, 0, {
      t0: event.at_us, t1: event.at_us, tone: 'read',
      label: event.resource + '/' + event.name + ' ' + event.change, fields: this.fieldsOf(event),
    });
  }

  leaseChanged(event) {
    if (event.namespace === 'kube-node-lease') return;
    let lease = this.leases.get(event.name);
    if (lease === undefined) {
      lease = { lane: new Lane('Lease ' + event.name), holders: [], open: null };
      this.leases.set(event.name, lease);
    }
    const holder = event.change === 'deleted' ? '' : event.holder || '';
    if (lease.open === null || lease.holder !== holder) {
      if (lease.open !== null) lease.open.t1 = event.at_us;
      const process = holder.split('_')[0];
      if (process !== '' && !lease.holders.includes(process)) lease.holders.push(process);
      lease.holder = holder;
      lease.open = holder === '' ? null : this.add(lease.lane, 0, {
        t0: event.at_us, t1: -1, tone: 'abcd'[lease.holders.indexOf(process) % 4], label: process + ' holds it',
        fields: [['Holder', holder]],
      });
    }
    this.add(lease.lane, 1, {
      t0: event.at_us, t1: event.at_us, tone: 'log', dot: true, label: 'Lease ' + event.change + (holder === '' ? '' : ' by ' + holder),
      fields: this.fieldsOf(event),
    });
  }

  objectChanged(event, key, kind, group) {
    let lane = this.objects.get(key);
    if (lane === undefined) {
      lane = new Lane((kind === 'Job' && event.owner ? 'Agent' : kind) + ' ' + key);
      lane.open = [null, null];
      this.objects.set(key, lane);
    }
    const phase = event.change === 'deleted' ? '' : phaseOf(event, kind);
    const open = lane.open[group];
    if (open !== null && open.phase === phase) {
      open.fields.push(['Version', event.version + ' at ' + timeText(event.at_us)]);
      return;
    }
    if (open !== null) open.t1 = event.at_us;
    if (event.change === 'deleted') {
      lane.open[group] = null;
      if (open !== null) open.fields.push(['Deleted', timeText(event.at_us)]);
      return;
    }
    lane.open[group] = this.add(lane, group, {
      t0: event.at_us, t1: -1, phase, tone: PHASE_TONES[phase.split(',')[0]] || 'read',
      label: (kind === 'Job' ? 'Job ' : '') + phase, severe: false,
      fields: [['Object', kind + ' ' + event.name]].concat(this.fieldsOf(event)),
    });
  }

  /* --- the end --- */

  finish() {
    const lanes = [this.steps, this.faults];
    const names = [...this.processes.keys()].filter((name) => name !== 'api');
    names.sort((a, b) => (a === 'user') - (b === 'user') || (a < b ? -1 : 1));
    for (const name of names) lanes.push(this.processes.get(name));
    if (this.processes.has('api')) lanes.push(this.processes.get('api'));
    for (const lease of this.leases.values()) lanes.push(lease.lane);
    lanes.push(...this.objects.values(), this.others);
    this.lanes = lanes.filter((lane) => lane.items.length > 0 || lane === this.steps);
    if (this.processes.has('api')) this.processes.get('api').title = 'API server';
    this.items = [];
    for (const lane of this.lanes) {
      for (const item of lane.items) {
        if (item.t1 < item.t0) {
          item.t1 = this.end;
          item.open = true;
        }
        this.items.push(item);
      }
      lane.arrange();
    }
    this.items.sort((a, b) => a.t0 - b.t0);
    this.failed = this.result.checks.find((check) => check.verdict === 'failed') || null;
  }
}

const PHASE_TONES = {
  Pending: 'pending', Running: 'running', Succeeded: 'good', Complete: 'good', Failed: 'bad', active: 'running',
};

function phaseOf(event, kind) {
  const phase = kind === 'Job' ? event.condition || 'active' : event.phase || 'Pending';
  return phase + (event.deleting === undefined ? '' : ', terminating');
}

const HANDLERS = {
  'started': Model.prototype.born,
  'exited': function (event) { this.died(event, 'ends with status ' + (event.number || 0)); },
  'crashed': function (event) { this.died(event, 'is killed'); },
  'paused': function (event) { this.paused(event, true); },
  'resumed': function (event) { this.paused(event, false); },
  'signalled': function (event) { this.tell(event, 'is asked to end', 'warn'); },
  'request sent': Model.prototype.sent,
  'request': Model.prototype.arrived,
  'response sent': Model.prototype.answered,
  'response': Model.prototype.received,
  'end': Model.prototype.ended,
  'cancelled': Model.prototype.ended,
  'log': Model.prototype.logged,
  'note': Model.prototype.noted,
  'fault': Model.prototype.faulted,
  'change': Model.prototype.changed,
  'left out': function (event) { this.leftOut = event.number; },
};
