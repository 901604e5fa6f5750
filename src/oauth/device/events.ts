import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const deviceEvents = {
  'device.approved': { title: { en: 'Device connected', zh: '已连接设备' } },
  'device.denied': { title: { en: 'Device refused', zh: '已拒绝设备' } },
} as const satisfies Record<string, EventDefinition>;
