import type { StatisticsStep, Tallies } from './rules.ts';

/** Counters of logins, refusals, tokens and durations, by hour and by day. Processes count in memory and add their counts here. */
export interface CountedHour {
  /** When the hour began. */
  readonly time: number;
  /** An application that exists. Undefined: what belongs to none counts for the whole deployment alone. */
  readonly app: string | undefined;
  readonly tallies: Tallies;
}

export interface CountedBatch {
  /** The process that has counted. */
  readonly writer: string;
  /** Greater than that of the batch before it. */
  readonly seq: number;
  readonly hours: readonly CountedHour[];
}

export interface StatisticsQuery {
  readonly step: StatisticsStep;
  /** The sum over these. Undefined: of the whole deployment. */
  readonly apps: readonly string[] | undefined;
  /** Whole seconds: hours or days that begin at `from` or later, and before `to`. */
  readonly from: number;
  readonly to: number;
}

export interface StatisticsPoint {
  readonly time: number;
  readonly tallies: Tallies;
}

export interface Statistics {
  /**
   * Adds a batch, once: when it is sent again because the answer was lost, it changes nothing, also if the first attempt is still
   * running.
   */
  addStatistics(batch: CountedBatch, now: number): Promise<void>;
  /** In the order of time. An hour or day in which nothing happened is left out. */
  listStatistics(query: StatisticsQuery): Promise<readonly StatisticsPoint[]>;
}
