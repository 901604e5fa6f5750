/** What the floor asks of a database. Callbacks, since a promise is one allocation and one turn more. */
export interface FloorStore {
  access(key: Buffer, done: (row: AccessRow | undefined) => void): void;
  accessWithUser(key: Buffer, done: (row: AccessUserRow | undefined) => void): void;
  redeem(key: Buffer, tokens: FloorTokens, done: (sub: string | undefined) => void): void;
  rotate(key: Buffer, tokens: FloorTokens, done: (sub: string | undefined) => void): void;
}

export type AccessRow = [clientId: string, sub: string, scope: string, issuedAt: number, expiresAt: number];
export type AccessUserRow = [
  ...AccessRow,
  audience: string | null,
  claims: string | null,
  username: string,
  nickname: string,
  picture: string,
  email: string,
  emailVerified: number | boolean,
  phone: string,
  phoneVerified: number | boolean,
  updatedAt: number,
];

/** What is issued, as the database is to know it. */
export interface FloorTokens {
  readonly grantId: string;
  readonly now: number;
  readonly access: Buffer;
  readonly accessEnd: number;
  readonly refresh: Buffer;
  readonly refreshEnd: number;
}
