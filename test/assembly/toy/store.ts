declare module '../../../src/store.ts' {
  interface DeclaredStore extends Guests {}
}

export interface Guests {
  countGuests(): Promise<number>;
}
