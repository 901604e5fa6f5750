/** Where work waits: the cores of a machine, and the disk that makes commits durable. Times in microseconds. */
import type { Timeline } from './timeline.ts';

interface Task {
  left: number;
  readonly done: () => void;
  readonly owner: object | undefined;
}

/**
 * The cores of one machine. Tasks take turns of a slice, as the scheduler of the system gives them. A process that has more to do
 * keeps its core until then: its next task comes before those of others.
 */
export class Processor {
  readonly #timeline: Timeline;
  readonly #cores: number;
  readonly #slice: number;
  #waiting: Task[] = [];
  #first = 0;
  #running = 0;
  /** Microseconds of all cores so far. */
  busy = 0;

  constructor(timeline: Timeline, cores: number, slice = Number.POSITIVE_INFINITY) {
    this.#timeline = timeline;
    this.#cores = cores;
    this.#slice = slice;
  }

  get cores(): number {
    return this.#cores;
  }

  /** `owner` is the process that the task is of, if it has several. */
  run(time: number, done: () => void, owner?: object): void {
    this.#waiting.push({ left: time, done, owner });
    this.#start();
  }

  #start(): void {
    while (this.#running < this.#cores && this.#first < this.#waiting.length) {
      const task = this.#waiting[this.#first++] as Task;
      if (this.#first > 1000 && this.#first * 2 > this.#waiting.length) {
        this.#waiting = this.#waiting.slice(this.#first);
        this.#first = 0;
      }
      this.#running++;
      this.#runTask(task, this.#slice);
    }
  }

  /** On a core that is taken; `slice` is what is left of the turn. */
  #runTask(task: Task, slice: number): void {
    const time = Math.min(task.left, slice);
    this.#timeline.after(time, () => {
      this.busy += time;
      task.left -= time;
      if (task.left > 0) this.#waiting.push(task);
      else task.done();
      const next = task.left > 0 || time >= slice ? undefined : this.#takeOf(task.owner);
      if (next) this.#runTask(next, slice - time);
      else {
        this.#running--;
        this.#start();
      }
    });
  }

  #takeOf(owner: object | undefined): Task | undefined {
    if (owner === undefined) return undefined;
    const at = this.#waiting.findIndex((task, index) => index >= this.#first && task.owner === owner);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }
}

/** One flush at a time; the commits that arrive during a flush share the next one, as PostgreSQL does it. */
export class CommitLog {
  readonly #timeline: Timeline;
  readonly #flushTime: (bytes: number) => number;
  #waiting: (() => void)[] = [];
  #bytes = 0;
  #flushing = false;
  busy = 0;
  flushes = 0;

  constructor(timeline: Timeline, flushTime: (bytes: number) => number) {
    this.#timeline = timeline;
    this.#flushTime = flushTime;
  }

  commit(bytes: number, done: () => void): void {
    this.#waiting.push(done);
    this.#bytes += bytes;
    if (!this.#flushing) this.#flush();
  }

  #flush(): void {
    const durable = this.#waiting;
    const time = this.#flushTime(this.#bytes);
    this.#waiting = [];
    this.#bytes = 0;
    this.#flushing = true;
    this.#timeline.after(time, () => {
      this.busy += time;
      this.flushes++;
      this.#flushing = false;
      for (const done of durable) done();
      if (!this.#flushing && this.#waiting.length > 0) this.#flush();
    });
  }
}
