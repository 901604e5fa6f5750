/** Millions of users in the store of Gatehouse, each with a password and three login names. */
import { fillTables } from './many-rows.ts';
import type { Place } from './place.ts';

const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'s'.repeat(22)}$${'h'.repeat(43)}`;

const GIVEN = ['Anna', 'Ben', 'Chen', 'Dora', 'Émile', 'Fatima', 'Giorgos', '明', '芳', 'Heinrich', 'Ines'];
const FAMILY = [
  'Müller',
  'Smith',
  '王',
  '李',
  'García',
  'Kowalski',
  'Papadopoulos',
  'Nguyễn',
  'Okafor',
  'Jensen',
  'Rossi',
  'Silva',
  'Weber',
];

/** An expression: one of the names, by a number. */
function oneOf(names: readonly string[], number: string): string {
  const cases = names.map((name, index) => `WHEN ${index} THEN '${name}'`);
  return `CASE (${number}) % ${names.length} ${cases.join(' ')} END`;
}

export function seedUsers(place: Place, count: number): Promise<void> {
  return fillTables(place, {
    tables: ['users', 'login_names', 'credentials'],
    sqlite: [
      'CREATE TEMP TABLE seed (n INTEGER PRIMARY KEY, name TEXT, sub TEXT, given TEXT, family TEXT)',
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       INSERT INTO seed SELECT n, lower(hex(randomblob(3))) || '.' || n, lower(hex(randomblob(11))),
         ${oneOf(GIVEN, 'n')}, ${oneOf(FAMILY, 'n / 37')} || ' ' || substr(hex(randomblob(2)), 1, 3) FROM numbers`,
      ...INSERTS,
      'DROP TABLE seed',
    ],
    postgres: [
      `CREATE TEMP TABLE seed AS
       SELECT n, substr(md5(n::text), 1, 6) || '.' || n AS name, substr(md5('sub' || n), 1, 22) AS sub,
         ${oneOf(GIVEN, 'n')} AS given, ${oneOf(FAMILY, 'n / 37')} || ' ' || substr(md5('family' || n), 1, 3) AS family
       FROM generate_series(1, ${count}) AS n`,
      ...INSERTS,
      'DROP TABLE seed',
    ],
  });
}

/** From the table seed, with the number n, the name and the sub of each user. */
const INSERTS = [
  `INSERT INTO users (sub, username, nickname, email, email_verified, phone_number, phone_number_verified, disabled, updated_at, standard_claims)
   SELECT sub, name, 'Nick', name || '@example.com', TRUE, '+86138' || n, FALSE, FALSE, 1800000000,
     '{"name":"' || given || ' ' || family || '","given_name":"' || given || '","family_name":"' || family || '"}'
   FROM seed ORDER BY sub`,
  `INSERT INTO login_names (login_name, sub) SELECT login_name, sub FROM (
     SELECT name AS login_name, sub FROM seed UNION ALL SELECT name || '@example.com', sub FROM seed
     UNION ALL SELECT '+86138' || n, sub FROM seed) AS names ORDER BY login_name`,
  `INSERT INTO credentials (sub, id, kind, data, created_at)
   SELECT sub, 'password', 'password', '${HASH}', 1800000000 FROM seed ORDER BY sub`,
];
