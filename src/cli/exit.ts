/** Exit codes by the names of sysexits.h. */
export const EXIT = { ok: 0, usage: 64, data: 65, noInput: 66, unavailable: 69, configuration: 78 } as const;

export type Environment = Readonly<Record<string, string | undefined>>;
