export interface PurgeOutcome {
  readonly deleted: number;
  /** Nothing that has ended is left. False also while another process purges. */
  readonly complete: boolean;
  /** Partitions that another transaction reads for long, such as a backup. The next purge drops them. */
  readonly postponed: readonly string[];
}

export interface StoreLoad {
  readonly connections: number;
  /** Operations that were sent and not yet answered. */
  readonly running: number;
  /** Operations that wait for a connection or for a commit. */
  readonly waiting: number;
}

/** Workers of a Citus cluster as this process sees them; looked at in the background. */
export interface ClusterState {
  readonly workers: readonly ClusterWorker[];
  /** How many there are on all workers together. */
  readonly applications: number;
}

export interface ClusterWorker {
  /** Its group in the cluster, which says nothing about the network. */
  readonly id: number;
  readonly address: string;
  readonly isReachable: boolean;
  readonly applications: number;
}

export interface StoreClock {
  /** Whole seconds since the Unix epoch. */
  now(): number;
}
