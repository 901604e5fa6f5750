/** Passwords move to a table of credentials. Triggers keep the old column equal while the release before is in use. */
export const migration004 = {
  name: '004-credentials',
  sql: `
      -- What users sign in with. Of a password the id is its kind, so that each user has one at most; data is the hash.
      CREATE TABLE credentials (
        sub          TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
        id           TEXT NOT NULL,
        kind         TEXT NOT NULL,
        data         TEXT NOT NULL,
        created_at   INTEGER NOT NULL,
        last_used_at INTEGER,
        PRIMARY KEY (sub, id),
        CHECK ((kind = 'password') = (id = 'password'))
      ) STRICT, WITHOUT ROWID;
      INSERT INTO credentials (sub, id, kind, data, created_at)
        SELECT sub, 'password', 'password', password_hash, updated_at FROM users WHERE password_hash IS NOT NULL;

      -- The release before reads and writes users.password_hash: until it is gone, the column and the table are kept equal.
      CREATE TRIGGER password_inserted_by_former_release AFTER INSERT ON users WHEN NEW.password_hash IS NOT NULL
      BEGIN
        INSERT INTO credentials (sub, id, kind, data, created_at)
          VALUES (NEW.sub, 'password', 'password', NEW.password_hash, NEW.updated_at);
      END;
      CREATE TRIGGER password_changed_by_former_release AFTER UPDATE OF password_hash ON users
        WHEN NEW.password_hash IS NOT OLD.password_hash
      BEGIN
        DELETE FROM credentials WHERE sub = NEW.sub AND id = 'password' AND NEW.password_hash IS NULL;
        INSERT INTO credentials (sub, id, kind, data, created_at)
          SELECT NEW.sub, 'password', 'password', NEW.password_hash, NEW.updated_at WHERE NEW.password_hash IS NOT NULL
          ON CONFLICT (sub, id) DO UPDATE SET data = excluded.data, created_at = excluded.created_at
          WHERE data IS NOT excluded.data;
      END;
      CREATE TRIGGER password_inserted AFTER INSERT ON credentials WHEN NEW.kind = 'password'
      BEGIN
        UPDATE users SET password_hash = NEW.data WHERE sub = NEW.sub AND password_hash IS NOT NEW.data;
      END;
      CREATE TRIGGER password_changed AFTER UPDATE OF data ON credentials WHEN NEW.kind = 'password'
      BEGIN
        UPDATE users SET password_hash = NEW.data WHERE sub = NEW.sub AND password_hash IS NOT NEW.data;
      END;
      CREATE TRIGGER password_removed AFTER DELETE ON credentials WHEN OLD.kind = 'password'
      BEGIN
        UPDATE users SET password_hash = NULL WHERE sub = OLD.sub AND password_hash IS NOT NULL;
      END;
    `,
};
