/** The store cannot serve: unreachable, full, read-only, or busy for too long. Becomes 503 with Retry-After. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** Waiting does not help: the database refuses the login, is damaged, or belongs to a newer release. */
export class StoreUnusable extends StoreUnavailable {
  override readonly name: string = 'StoreUnusable';
}

/** DATABASE_URL is wrong; the database is not at fault. */
export class StoreMisconfigured extends StoreUnusable {
  override readonly name = 'StoreMisconfigured';
}

/** Not a fault: an operation throws it inside its own transaction to roll back, and catches it. Stores pass it on unchanged. */
export class RolledBack extends Error {
  override readonly name: string = 'RolledBack';
}
