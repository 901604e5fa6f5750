import { readdirSync, readFileSync } from 'node:fs';

/** Processor time and memory of processes, as Linux counts them. Undefined where there is no /proc. */

/** USER_HZ of Linux, the same on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds so far, all threads. */
export function processorTime(pid: number): number | undefined {
  try {
    // To the nanosecond; /proc/PID/stat counts in hundredths of a second.
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + timeOf(`/proc/${pid}/task/${thread}`), 0);
  } catch {
    return undefined;
  }
}

/** Seconds so far of a PostgreSQL server, by the process that started all others: those that have ended count too. */
export function databaseTime(postmaster: number): number | undefined {
  try {
    const living = childrenOf(postmaster);
    const sum = timeOf(`/proc/${postmaster}`) + (timeOfEndedChildren(postmaster) ?? 0);
    return living.reduce((sum, pid) => sum + timeOf(`/proc/${pid}`), sum);
  } catch {
    return undefined;
  }
}

/** Seconds of the children that have ended, with theirs. */
export function timeOfEndedChildren(pid = process.pid): number | undefined {
  try {
    const fields = statOf(pid);
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** Resident memory in MB. */
export function residentMemory(pid: number): number | undefined {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return (Number(pages) * PAGE) / 2 ** 20;
  } catch {
    return undefined;
  }
}

const PAGE = 4096;

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => isChild(pid, parent));
}

function timeOf(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

function isChild(pid: number, parent: number): boolean {
  try {
    return Number(statOf(pid)[1]) === parent;
  } catch {
    return false;
  }
}

/** What comes after the name of the program, which may have spaces of its own. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(') ') + 2).split(' ');
}
