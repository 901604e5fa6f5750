import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const backupEvents = {
  'backup.made': { title: { en: 'Backup made', zh: '已备份' } },
  'backup.elsewhere': { title: { en: 'Backups are made elsewhere', zh: '备份由其他系统完成' } },
} as const satisfies Record<string, EventDefinition>;
