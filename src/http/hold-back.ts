import type { Socket } from 'node:net';

/** How long who was turned away is not listened to: long enough that refusing stays a small part of the work… */
const LEAST_MS = 100;
/** …also when there are many: two a millisecond at the most. */
const MS_EACH = 0.5;
/** What the answer tells them to wait (Retry-After). */
const MOST_MS = 1000;
/** Often, so that they come back a few at a time. */
const RELEASE_EVERY_MS = 5;

export interface HoldBack {
  /** Reads nothing more from that connection for a while. What it sends meanwhile waits in its buffers. */
  hold(socket: Socket): void;
  /** The request was waiting already when its connection was listened to again: its sender did not wait as told. */
  cameTooSoon(socket: Socket): boolean;
}

/**
 * A refusal costs node:http nearly as much as an answer. Callers who ask again the moment they are refused would have a
 * server do nothing else; so in an overload they are answered a few times a second each, and the time goes to the others.
 */
export function createHoldBack(): HoldBack {
  /** Each once, though many of its requests may have been refused: a caller can send them ahead. */
  const refused = new Set<Socket>();
  /** Until when, those first who were held back first. */
  const held = new Map<Socket, number>();
  const justReleased = new Set<Socket>();

  /** When the turn is over: what node:http does after an answer would have it read on. */
  const holdAll = () => {
    if (held.size === 0) setTimeout(release, LEAST_MS).unref();
    const until = performance.now() + Math.min(MOST_MS, Math.max(LEAST_MS, (held.size + refused.size) * MS_EACH));
    for (const socket of refused) {
      socket.pause();
      held.delete(socket);
      held.set(socket, until);
    }
    refused.clear();
  };
  const release = () => {
    const now = performance.now();
    for (const [socket, until] of held) {
      if (until > now) break;
      held.delete(socket);
      socket.resume();
      justReleased.add(socket);
    }
    // By then the sockets have been read in which something lay.
    setImmediate(() => justReleased.clear());
    if (held.size > 0) setTimeout(release, RELEASE_EVERY_MS).unref();
  };

  return {
    hold(socket) {
      if (refused.size === 0) setImmediate(holdAll);
      refused.add(socket);
    },
    cameTooSoon: socket => justReleased.size > 0 && justReleased.has(socket),
  };
}
