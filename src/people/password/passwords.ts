import { argon2, hash as digest, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '../../platform/deps.ts';
import { type Pbkdf2Hash, type ScryptHash, scryptMemory } from './derived-key-hash.rules.ts';
import { type Argon2Hash, type BcryptHash, parsePasswordHash } from './hash.rules.ts';
import { MAX_PASSWORD_LENGTH } from './password.rules.ts';

/**
 * Argon2id (RFC 9106) with the parameters that OWASP recommends, in the PHC string format. Hashing runs on the thread pool, a few
 * at a time, and a bounded number may wait. During a burst of logins the server rejects the excess (503), and other requests are
 * not delayed.
 */
const COST: PasswordCost = { memoryKib: 19 * 1024, passes: 2 };
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** What a hash costs whoever makes it. There is no setting for it: only tests whose subject is something else take a lower one. */
export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Without an expected hash the password is `wrong`, after a comparison with `standIn` for the same time. `busy`: too many
   * are waiting.
   */
  verify(password: string, expected: string | undefined, standIn?: string): Promise<'right' | 'wrong' | 'busy'>;
  /** False for a hash of another system, or one with former parameters. */
  isOwnHash(stored: string): boolean;
  /** `hash` for a login whose password was right: it waits for its turn in the queue and is never rejected. */
  hashInTurn(password: string): Promise<string>;
  /** `hash` for somebody unknown. Undefined: too many are waiting. */
  tryHash(password: string): Promise<string | undefined>;
  load(): HashLoad;
}

/** Password checks that are running, that are waiting, and that were rejected so far because too many were waiting. */
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
/** The threads of libuv's pool. One is left for RS256 signatures, or every token would wait behind the logins. */
const POOL_THREADS = 4;

/** One core is left for other requests than logins. Several processes share the other cores and the places in the queue. */
export function passwordLimits(cores: number, workers: number): PasswordLimits {
  const atOnce = Math.min(Math.floor((cores - 1) / workers), POOL_THREADS - 1);
  return { atOnce: Math.max(1, atOnce), waiting: Math.ceil(MAX_WAITING_HASHES / workers) };
}

const derive = promisify(argon2);

export function createPasswords(random: Random, limits: PasswordLimits, cost = COST): Passwords {
  const queue = new HashQueue(limits);
  const { memoryKib, passes } = cost;
  const prefix = `$argon2id$v=19$m=${memoryKib},t=${passes},p=${LANES}$`;
  const hash = async (password: string): Promise<string> => {
    const salt = random.bytes(SALT_BYTES);
    const parameters = {
      message: password.normalize('NFC'),
      nonce: salt,
      memory: memoryKib,
      passes,
      parallelism: LANES,
    };
    return encode(prefix, salt, await derive('argon2id', { ...parameters, tagLength: HASH_BYTES }));
  };
  // The default stand-in: no password has this hash.
  const defaultStandIn = encode(prefix, random.bytes(SALT_BYTES), random.bytes(HASH_BYTES));
  return {
    hash,
    async verify(password, expected, standIn = defaultStandIn) {
      if (!(await queue.enter())) return 'busy';
      try {
        const usable = password.length <= MAX_PASSWORD_LENGTH;
        const right = await compareInEachForm(usable ? password : '', expected ?? standIn);
        return right && usable && expected !== undefined ? 'right' : 'wrong';
      } finally {
        queue.leave();
      }
    },
    isOwnHash: stored => stored.startsWith(prefix),
    async hashInTurn(password) {
      await queue.enterAnyway();
      try {
        return await hash(password);
      } finally {
        queue.leave();
      }
    },
    async tryHash(password) {
      if (!(await queue.enter())) return undefined;
      try {
        return await hash(password);
      } finally {
        queue.leave();
      }
    },
    load: () => queue.load(),
  };
}

/**
 * Keyboards and systems send the same letter in different forms, so passwords are hashed in NFC (RFC 8265 section 4.2.2). Hashes
 * that were stored before, or come from another system, may be of the text as it was sent: it is tried second, where it differs,
 * for every user and for none alike.
 */
async function compareInEachForm(password: string, stored: string): Promise<boolean> {
  const normalized = password.normalize('NFC');
  if (await compare(normalized, stored)) return true;
  return normalized !== password && compare(password, stored);
}

async function compare(password: string, stored: string): Promise<boolean> {
  const hash = parsePasswordHash(stored);
  switch (hash.kind) {
    case 'argon2':
      return compareArgon2(password, hash);
    case 'bcrypt':
      return compareBcrypt(password, hash);
    case 'pbkdf2':
      return comparePbkdf2(password, hash);
    case 'scrypt':
      return compareScrypt(password, hash);
    case 'unusable':
      throw new Error(`a stored password cannot be checked: it ${hash.reason}`);
  }
}

async function compareArgon2(password: string, { algorithm, parameters, tag }: Argon2Hash): Promise<boolean> {
  const made = await derive(algorithm, { ...parameters, message: password, tagLength: tag.length });
  return timingSafeEqual(made, tag);
}

/** Runs on another thread. The module is loaded for the first bcrypt hash: most installations never need it. */
async function compareBcrypt(password: string, { text, ofSha256 }: BcryptHash): Promise<boolean> {
  const { verify } = await import('@node-rs/bcrypt');
  return verify(ofSha256 ? digest('sha256', password, 'hex') : password, text);
}

const derivePbkdf2 = promisify(pbkdf2);

async function comparePbkdf2(password: string, { digest, iterations, salt, tag }: Pbkdf2Hash): Promise<boolean> {
  return timingSafeEqual(await derivePbkdf2(password, salt, iterations, tag.length, digest), tag);
}

function compareScrypt(password: string, hash: ScryptHash): Promise<boolean> {
  const { cost, blockSize, parallelization, salt, tag } = hash;
  const options = { cost, blockSize, parallelization, maxmem: scryptMemory(hash) };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, tag.length, options, (error, made) => {
      if (error) reject(error);
      else resolve(timingSafeEqual(made, tag));
    });
  });
}

function encode(prefix: string, salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `${prefix}${text(salt)}$${text(tag)}`;
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
