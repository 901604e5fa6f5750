import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import { pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { actOf, isStale, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, type Outcome, unknown } from '../../operators/api/outcome.ts';
import { mergePatch, validate } from '../../operators/api/validate.ts';
import { attributeOf, attributeSchema } from './fields.ts';
import { type AttributeFacts, type AttributeWrite, changeUserAttribute, userAttributes } from './queries.ts';
import { MAX_ATTRIBUTES, type UserAttribute } from './rules.ts';

/** /user_attributes: what a deployment says of its users beside the standard claims. */

const nameParam = z.object({ name: z.string() });
type View = z.output<typeof attributeSchema>;

export const listUserAttributes = operation({
  summary: 'List the user attributes.',
  role: 'auditor',
  reach: 'deployment',
  query: z.strictObject(pageQuery),
  result: pageOf(attributeSchema),
  async run({ services }, { query }) {
    const { cursor = '', limit } = query;
    const found = (await userAttributes(services.store.cold)).filter(({ name }) => name > cursor);
    return done(toPage(found.slice(0, limit + 1), query, ({ name }) => name, viewOf));
  },
});

export const getUserAttribute = operation({
  summary: 'Get one user attribute.',
  role: 'auditor',
  reach: 'deployment',
  params: nameParam,
  result: attributeSchema,
  async run({ services }, { params: { name } }) {
    const found = (await userAttributes(services.store.cold)).find(one => one.name === name);
    return found ? done(viewOf(found)) : unknown('user attribute');
  },
});

export const createUserAttribute = operation({
  summary: 'Define a user attribute.',
  role: 'operator',
  reach: 'deployment',
  body: attributeSchema,
  result: attributeSchema,
  status: 201,
  example: { name: 'department', label: 'Department', scope: 'profile' },
  async run(context, { body }) {
    const attribute = attributeOf(body);
    const { name } = attribute;
    return change(context, name, ({ current, isBeingDeleted, count }) => {
      if (current) return { result: conflict(`There is an attribute "${name}" already.`) };
      if (isBeingDeleted) return { result: conflict(stillDeleted(name)) };
      if (count >= MAX_ATTRIBUTES) return { result: conflict(`There are ${MAX_ATTRIBUTES} attributes already.`) };
      const result = viewOf(attribute);
      const act = actOf(context, { type: 'user_attribute.created', subject: name }, result);
      return { result: done(result), write: { value: { kind: 'put', attribute }, act } };
    });
  },
});

export const updateUserAttribute = operation({
  summary: 'Change the label, editor or scope of a user attribute (RFC 7396). Its name and type cannot be changed.',
  role: 'operator',
  reach: 'deployment',
  params: nameParam,
  body: z.looseObject({}),
  changes: attributeSchema,
  result: attributeSchema,
  example: { label: 'Team', editable_by: 'user' },
  async run(context, { params: { name }, body }) {
    return change(context, name, ({ current }) => {
      if (!current) return { result: unknown('user attribute') };
      if (isStale(context, viewOf(current))) return { result: { kind: 'changed' } };
      const merged = validate(attributeSchema, mergePatch(viewOf(current), body));
      if (merged.kind === 'invalid') return { result: merged };
      const attribute = attributeOf(merged.value);
      const fixed = (['name', 'type'] as const).find(each => attribute[each] !== current[each]);
      if (fixed) return { result: conflict(`The ${fixed} of an attribute cannot be changed.`) };
      const result = viewOf(attribute);
      const details = { fields: Object.keys(body) };
      const act = actOf(context, { type: 'user_attribute.updated', subject: name, details }, result);
      return { result: done(result), write: { value: { kind: 'put', attribute }, act } };
    });
  },
});

export const deleteUserAttribute = operation({
  summary: 'Permanently delete a user attribute with all its values.',
  role: 'operator',
  reach: 'deployment',
  params: nameParam,
  async run(context, { params: { name } }) {
    const now = context.services.clock.now();
    return change(context, name, ({ current }) => {
      if (!current) return { result: unknown('user attribute') };
      if (isStale(context, viewOf(current))) return { result: { kind: 'changed' } };
      const act = actOf(context, { type: 'user_attribute.deleted', subject: name });
      return { result: done(undefined), write: { value: { kind: 'delete', now }, act } };
    });
  },
});

function change<T>(
  { services }: OperationContext,
  name: string,
  decide: (facts: AttributeFacts) => Change<AttributeWrite, Outcome<T>>,
): Promise<Outcome<T>> {
  return changeUserAttribute(services.store.cold, name, decide);
}

export function stillDeleted(name: string): string {
  return `The values of the former attribute "${name}" are still being deleted. Try again in a minute.`;
}

/** In a fixed order, so that the same definition always has the same ETag. */
function viewOf({ name, type, label, editable_by, scope }: UserAttribute): View {
  return { name, type, label, editable_by, ...(scope === undefined ? {} : { scope }) };
}
