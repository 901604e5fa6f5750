import { copied, table } from '../../platform/store/table.ts';

/**
 * Agents that their owner has stopped. It is no setting of the client: an apply file does not start what a person has stopped. Beside it,
 * the index by which the agents of a person are found: other clients are not in it.
 */
export const agentTables = [
  table('stopped_agents', {
    placement: 'reference',
    copy: copied('app client_id', 'app client_id stopped_at:i stopped_by'),
    create: {
      sqlite: `CREATE TABLE stopped_agents (
          app        TEXT    NOT NULL,
          client_id  TEXT    NOT NULL,
          stopped_at INTEGER NOT NULL,
          stopped_by TEXT    NOT NULL, -- the sub of the owner, or of one person of the group
          PRIMARY KEY (app, client_id),
          FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX agents ON clients (app, client_id) WHERE instr(metadata, '"client_type":"agent"') > 0`,
      postgres: `CREATE TABLE stopped_agents (
          app        text   NOT NULL,
          client_id  text   NOT NULL,
          stopped_at bigint NOT NULL,
          stopped_by text   NOT NULL,
          PRIMARY KEY (app, client_id),
          FOREIGN KEY (app, client_id) REFERENCES clients ON DELETE CASCADE
        );
        CREATE INDEX agents ON clients (app, client_id) WHERE strpos(metadata, '"client_type":"agent"') > 0`,
    },
  }),
];
