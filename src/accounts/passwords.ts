import { type Argon2Parameters, argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '../deps.ts';

/**
 * Argon2id (RFC 9106) with the parameters OWASP names for it, in the PHC string format. Hashing runs on the thread pool,
 * a few at a time, and a bounded number may wait: a storm of logins is told to come back, and nobody else notices it.
 */
const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Beyond any passphrase a person types; longer ones are refused before they cost anything. */
export const LONGEST_PASSWORD = 1024;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time when there is no hash to compare with. `busy`: too many are waiting. */
  verify(password: string, expected: string | undefined): Promise<'right' | 'wrong' | 'busy'>;
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

const derive = promisify(argon2);

export function createPasswords(random: Random, limits: PasswordLimits): Passwords {
  const queue = new HashQueue(limits);
  const hash = async (password: string): Promise<string> => {
    const salt = random.bytes(SALT_BYTES);
    const parameters = { message: password, nonce: salt, memory: MEMORY_KIB, passes: PASSES, parallelism: LANES };
    return encode(salt, await derive('argon2id', { ...parameters, tagLength: HASH_BYTES }));
  };
  // What an unknown user's password is compared with; nothing hashes to it.
  const nobody = encode(random.bytes(SALT_BYTES), random.bytes(HASH_BYTES));
  return {
    hash,
    async verify(password, expected) {
      if (!(await queue.enter())) return 'busy';
      try {
        const usable = password.length <= LONGEST_PASSWORD;
        const right = await compare(usable ? password : '', expected ?? nobody);
        return right && usable && expected !== undefined ? 'right' : 'wrong';
      } finally {
        queue.leave();
      }
    },
    load: () => queue.load(),
  };
}

async function compare(password: string, phc: string): Promise<boolean> {
  const { expected, ...parameters } = decode(phc);
  const made = await derive('argon2id', { ...parameters, message: password, tagLength: expected.length });
  return timingSafeEqual(made, expected);
}

function encode(salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${text(salt)}$${text(tag)}`;
}

type Stored = Pick<Argon2Parameters, 'nonce' | 'memory' | 'passes' | 'parallelism'> & { readonly expected: Buffer };

function decode(phc: string): Stored {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phc);
  if (!match) throw new Error('a stored password is not an Argon2id hash');
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    expected: Buffer.from(tag, 'base64'),
  };
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
    if (this.#running < this.#limits.atOnce) {
      this.#running++;
      return Promise.resolve(true);
    }
    if (this.#waiting.length >= this.#limits.waiting) {
      this.#refused++;
      return Promise.resolve(false);
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
