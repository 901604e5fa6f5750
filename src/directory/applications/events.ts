import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const applicationEvents = {
  'application.created': { title: { en: 'Application created', zh: '已创建应用' } },
  'application.updated': { title: { en: 'Application changed', zh: '已更改应用' } },
  'application.deleted': { title: { en: 'Application deleted', zh: '已删除应用' } },
  'application.restored': { title: { en: 'Application restored', zh: '已恢复应用' } },
} as const satisfies Record<string, EventDefinition>;
