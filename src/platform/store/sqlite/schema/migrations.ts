import { migration001 } from './migration-001.ts';
import { migration002 } from './migration-002.ts';
import { migration003 } from './migration-003.ts';
import { migration004 } from './migration-004.ts';
import { migration005 } from './migration-005.ts';
import { migration006 } from './migration-006.ts';
import { migration007 } from './migration-007.ts';
import { migration008 } from './migration-008.ts';
import { migration009 } from './migration-009.ts';
import { migration010 } from './migration-010.ts';
import { migration011 } from './migration-011.ts';
import { migration012 } from './migration-012.ts';
import { migration013 } from './migration-013.ts';
import { migration014 } from './migration-014.ts';
import { migration015 } from './migration-015.ts';
import { migration016 } from './migration-016.ts';
import { migration017 } from './migration-017.ts';
import { migration018 } from './migration-018.ts';
import { migration019 } from './migration-019.ts';
import { migration020 } from './migration-020.ts';
import { migration021 } from './migration-021.ts';
import { migration022 } from './migration-022.ts';
import { migration023 } from './migration-023.ts';
import { migration025 } from './migration-025.ts';
import { migration026 } from './migration-026.ts';
import { migration027 } from './migration-027.ts';
import { migration028 } from './migration-028.ts';
import { migration029 } from './migration-029.ts';
import { migration030 } from './migration-030.ts';
import { migration031 } from './migration-031.ts';

/**
 * The schema of the embedded store: one file for each migration, numbered, forward only. A migration that was released is never
 * edited. The key of a table includes the application, if the table has one. Secrets are stored as hashes (BLOB), private keys
 * encrypted.
 */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  migration001,
  migration002,
  migration003,
  migration004,
  migration005,
  migration006,
  migration007,
  migration008,
  migration009,
  migration010,
  migration011,
  migration012,
  migration013,
  migration014,
  migration015,
  migration016,
  migration017,
  migration018,
  migration019,
  migration020,
  migration021,
  migration022,
  migration023,
  migration025,
  migration026,
  migration027,
  migration028,
  migration029,
  migration030,
  migration031,
];
