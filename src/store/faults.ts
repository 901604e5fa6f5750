/** The store cannot serve: unreachable, full, read-only, or busy for too long. Becomes 503 with Retry-After. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
}

/** Waiting does not help: it refuses us, is damaged, or belongs to a newer release. */
export class StoreUnusable extends StoreUnavailable {
  override readonly name: string = 'StoreUnusable';
}

/** DATABASE_URL is at fault, and not the database. */
export class StoreMisconfigured extends StoreUnusable {
  override readonly name = 'StoreMisconfigured';
}

/** No fault: an operation throws it inside its own transaction to undo it, and catches it again. Stores let it pass. */
export class RolledBack extends Error {
  override readonly name: string = 'RolledBack';
}
