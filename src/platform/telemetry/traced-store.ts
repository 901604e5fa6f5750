import type { Store } from '../../store.ts';
import { withEachOperation } from '../observe/measured-store.ts';
import { currentSpan } from './current-span.ts';

/** Wraps the store so that its operations are parts of what asks for them. Outside of a trace they cost what they cost without. */
export function tracedStore(store: Store, kind: 'sqlite' | 'postgres'): Store {
  const system = kind === 'sqlite' ? 'sqlite' : 'postgresql';
  // The embedded store is no other program ("Database spans", "Span kind").
  const spanKind = kind === 'sqlite' ? 'internal' : 'client';
  return withEachOperation(store, (name, call) => {
    const attributes = { 'db.system.name': system, 'db.operation.name': name };
    return (...args) => {
      const span = currentSpan()?.child(`store ${name}`, spanKind, attributes);
      const outcome = call(...args);
      if (span)
        outcome.then(
          () => span.end(),
          (error: Error) => span.end(error.name),
        );
      return outcome;
    };
  });
}
