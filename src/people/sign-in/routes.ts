import { form, noBody, page, type Route } from '../../platform/http/route.ts';
import type { SignInStep } from './step.rules.ts';

/** The addresses of the steps. Several steps can ask at one. */
export function stepRoutes(declared: readonly SignInStep[]): readonly Route[] {
  const steps = () => import('./steps.ts');
  return [...new Set(declared.map(({ path }) => path))].map(path =>
    page(path, {
      GET: noBody(async (services, request) => (await steps()).showStep(path)(services, request)),
      POST: form(async (services, request) => (await steps()).submitStep(path)(services, request)),
    }),
  );
}
