import { openPart, type StorePart } from '../platform/store/late-part.ts';
import type { ColdDatabase } from '../platform/store/steps.ts';
import type { DeclaredStore } from '../store.ts';

/** The parts of both stores that the capabilities declare. test/store/contract calls each operation. */
export function declaredStore(parts: readonly StorePart[], cold: ColdDatabase): DeclaredStore {
  return Object.fromEntries(parts.flatMap(part => openPart(part, cold))) as object as DeclaredStore;
}
