/** Back-channel logout notices that still have to reach a client. */
export interface LogoutNotice {
  readonly id: string;
  readonly app: string;
  readonly clientId: string;
  readonly sub: string;
  readonly sid: string;
  readonly attempts: number;
}

export interface Queue {
  /** Takes due notices for this caller alone: no other call returns them before `leaseUntil`. None for a client in `busy` (platform/jobs/sender.ts). */
  takeLogoutNotices(now: number, leaseUntil: number, limit: number, busy?: readonly string[]): Promise<LogoutNotice[]>;
  finishLogoutNotice(id: string): Promise<void>;
  postponeLogoutNotice(id: string, dueAt: number): Promise<void>;
}
