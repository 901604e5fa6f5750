/**
 * Everything in one Map. The adapter that comes with oidc-provider keeps a thousand entries and forgets the rest; this
 * one forgets nothing and does no more work than it has to.
 */
export type Payload = Record<string, unknown>;

const stored = new Map<string, Payload>();
const families = new Map<string, Set<string>>();

export class MapAdapter {
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  async upsert(id: string, payload: Payload): Promise<void> {
    const key = this.#key(id);
    stored.set(key, payload);
    const { grantId } = payload;
    if (typeof grantId !== 'string') return;
    const family = families.get(grantId);
    if (family) family.add(key);
    else families.set(grantId, new Set([key]));
  }

  async find(id: string): Promise<Payload | undefined> {
    return stored.get(this.#key(id));
  }

  async consume(id: string): Promise<void> {
    const payload = stored.get(this.#key(id));
    if (payload) payload.consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id: string): Promise<void> {
    stored.delete(this.#key(id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const key of families.get(grantId) ?? []) stored.delete(key);
    families.delete(grantId);
  }

  /** Sessions and device codes play no part here. */
  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}

  #key(id: string): string {
    return `${this.#model}:${id}`;
  }
}
