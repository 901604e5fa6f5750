import { BlockList } from 'node:net';
import type { Outbound } from '../../../src/platform/outbound/outbound.ts';

/** As without settings, and patient: a machine that does much else is slow. */
export const PUBLIC_ONLY: Outbound = { allowed: new BlockList(), timeoutMs: 60_000 };

const loopback = new BlockList();
loopback.addAddress('127.0.0.1', 'ipv4');

export const LOOPBACK_TOO: Outbound = { allowed: loopback, timeoutMs: 60_000 };
