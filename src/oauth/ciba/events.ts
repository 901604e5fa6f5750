import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const cibaEvents = {
  'approval.requested': { title: { en: 'Approval requested', zh: '请求批准' } },
  'approval.given': { title: { en: 'Request approved', zh: '已批准请求' } },
  'approval.denied': { title: { en: 'Request refused', zh: '已拒绝请求' } },
} as const satisfies Record<string, EventDefinition>;
