import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '../deps.ts';
import { type Argon2Hash, parsePasswordHash } from './password-hash.ts';

/**
 * Argon2id (RFC 9106) with the parameters OWASP names for it, in the PHC string format. Hashing runs on the thread pool,
 * a few at a time, and a bounded number may wait: a storm of logins is told to come back, and nobody else notices it.
 */
const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const OWN_PREFIX = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$`;
/** Beyond any passphrase a person types; longer ones are refused before they cost anything. */
export const LONGEST_PASSWORD = 1024;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Where there is no hash, it is wrong after as long as a comparison with `standIn` takes. `busy`: too many are waiting. */
  verify(password: string, expected: string | undefined, standIn?: string): Promise<'right' | 'wrong' | 'busy'>;
  /** False for a hash that came from another system, or has parameters that we do not use any more. */
  isOwnHash(stored: string): boolean;
  /** `hash` for a login that has been let in: it waits for its turn, however many wait, and nobody is sent away for it. */
  hashInTurn(password: string): Promise<string>;
  load(): HashLoad;
}

/** Password checks under way, waiting, and turned away so far because too many were waiting. */
export interface HashLoad {
  readonly running: number;
  readonly waiting: number;
  readonly refused: number;
}

export interface PasswordLimits {
  readonly atOnce: number;
  readonly waiting: number;
}

/** Logins that may wait for their password check: a few seconds' worth on one core. */
const MAX_WAITING_HASHES = 64;
/** Of libuv's pool, where RS256 is signed too: one is left for that, or every token would wait behind the logins. */
const POOL_THREADS = 4;

/** One core is left for everybody who is not logging in; several processes share the others, and the places to wait. */
export function passwordLimits(cores: number, workers: number): PasswordLimits {
  const atOnce = Math.min(Math.floor((cores - 1) / workers), POOL_THREADS - 1);
  return { atOnce: Math.max(1, atOnce), waiting: Math.ceil(MAX_WAITING_HASHES / workers) };
}

const derive = promisify(argon2);

export function createPasswords(random: Random, limits: PasswordLimits): Passwords {
  const queue = new HashQueue(limits);
  const hash = async (password: string): Promise<string> => {
    const salt = random.bytes(SALT_BYTES);
    const parameters = { message: password, nonce: salt, memory: MEMORY_KIB, passes: PASSES, parallelism: LANES };
    return encode(salt, await derive('argon2id', { ...parameters, tagLength: HASH_BYTES }));
  };
  // Where there is no other stand-in; nothing hashes to it.
  const nobody = encode(random.bytes(SALT_BYTES), random.bytes(HASH_BYTES));
  return {
    hash,
    async verify(password, expected, standIn = nobody) {
      if (!(await queue.enter())) return 'busy';
      try {
        const usable = password.length <= LONGEST_PASSWORD;
        const right = await compare(usable ? password : '', expected ?? standIn);
        return right && usable && expected !== undefined ? 'right' : 'wrong';
      } finally {
        queue.leave();
      }
    },
    isOwnHash: stored => stored.startsWith(OWN_PREFIX),
    async hashInTurn(password) {
      await queue.enterAnyway();
      try {
        return await hash(password);
      } finally {
        queue.leave();
      }
    },
    load: () => queue.load(),
  };
}

async function compare(password: string, stored: string): Promise<boolean> {
  const hash = parsePasswordHash(stored);
  switch (hash.kind) {
    case 'argon2':
      return compareArgon2(password, hash);
    case 'bcrypt':
      return compareBcrypt(password, stored);
    case 'unusable':
      throw new Error(`a stored password cannot be checked: it ${hash.reason}`);
  }
}

async function compareArgon2(password: string, { algorithm, parameters, tag }: Argon2Hash): Promise<boolean> {
  const made = await derive(algorithm, { ...parameters, message: password, tagLength: tag.length });
  return timingSafeEqual(made, tag);
}

/** On a thread of its own. Loaded when the first such hash is met: most installations never need it. */
async function compareBcrypt(password: string, stored: string): Promise<boolean> {
  const { verify } = await import('@node-rs/bcrypt');
  return verify(password, stored);
}

function encode(salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `${OWN_PREFIX}${text(salt)}$${text(tag)}`;
}

class HashQueue {
  readonly #limits: PasswordLimits;
  #running = 0;
  #refused = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limits: PasswordLimits) {
    this.#limits = limits;
  }

  /** False when the queue is full; otherwise resolves when it is this caller's turn. */
  enter(): Promise<boolean> {
    if (this.#running >= this.#limits.atOnce && this.#waiting.length >= this.#limits.waiting) {
      this.#refused++;
      return Promise.resolve(false);
    }
    return this.enterAnyway();
  }

  /** Resolves when it is this caller's turn. */
  enterAnyway(): Promise<true> {
    if (this.#running < this.#limits.atOnce) {
      this.#running++;
      return Promise.resolve(true);
    }
    return new Promise(resolve => {
      this.#waiting.push(() => resolve(true));
    });
  }

  load(): HashLoad {
    return { running: this.#running, waiting: this.#waiting.length, refused: this.#refused };
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}
