import type { Seen, Visitor } from '../build/visitor.ts';

/** The only sites there are in the tests. */
const ON_THIS_MACHINE = /^http:\/\/(127\.0\.0\.1|localhost):/;

/** Follows redirects from site to site, as a browser does, until a page is shown. */
export async function wander(visitor: Visitor, start: string | Seen): Promise<Seen> {
  let seen = typeof start === 'string' ? await step(visitor, start) : start;
  for (let hops = 0; hops < 10 && seen.location !== undefined && ON_THIS_MACHINE.test(seen.location); hops++)
    seen = await step(visitor, seen.location);
  return seen;
}

/** Some sites take a cookie back by a date in the past, which shows in an empty value. */
async function step(visitor: Visitor, url: string): Promise<Seen> {
  const seen = await visitor.follow(url);
  for (const [name, value] of visitor.cookies) if (value === '') visitor.cookies.delete(name);
  return seen;
}
