import { SecretFault } from '../../platform/crypto/secret-file.ts';
import { StoreMisconfigured } from '../../platform/store/faults.ts';

/** Exit codes by the names of sysexits.h. `differs`: `diff` has found something, as diff(1) says it. `noPermission`: nobody has said yes. */
export const EXIT = {
  ok: 0,
  differs: 1,
  usage: 64,
  data: 65,
  noInput: 66,
  unavailable: 69,
  cannotCreate: 73,
  noPermission: 77,
  configuration: 78,
} as const;

/** The exit code of a server that could not start, or of a command that could not use the store. */
export function exitCodeOf(fault: unknown): number {
  const configuration = fault instanceof SecretFault || fault instanceof StoreMisconfigured;
  return configuration ? EXIT.configuration : EXIT.unavailable;
}

export type Environment = Readonly<Record<string, string | undefined>>;
