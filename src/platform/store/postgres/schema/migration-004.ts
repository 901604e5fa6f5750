/**
 * Passwords move to a table of credentials. Triggers keep the old column equal while the release before is in use. Not a part of
 * 003: its lock on users would make logins wait until all passwords are copied. This transaction allows reading users.
 */
export const migration004 = {
  name: '004-credentials',
  sql: `
      -- What users sign in with. Of a password the id is its kind, so that each user has one at most; data is the hash.
      CREATE TABLE credentials (
        sub          text NOT NULL REFERENCES users ON DELETE CASCADE,
        id           text NOT NULL,
        kind         text NOT NULL,
        data         text NOT NULL,
        created_at   bigint NOT NULL,
        last_used_at bigint,
        PRIMARY KEY (sub, id),
        CHECK ((kind = 'password') = (id = 'password'))
      );

      -- The release before reads and writes users.password_hash: until it is gone, the column and the table are kept equal.
      -- Inserts have a trigger for the statement: one for each row would take a third of the time of an import of users.
      CREATE FUNCTION passwords_of_users_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO credentials (sub, id, kind, data, created_at)
          SELECT sub, 'password', 'password', password_hash, updated_at FROM inserted WHERE password_hash IS NOT NULL;
        RETURN NULL;
      END $$;
      CREATE FUNCTION password_of_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.password_hash IS NULL THEN
          DELETE FROM credentials WHERE sub = NEW.sub AND id = 'password';
        ELSE
          INSERT INTO credentials (sub, id, kind, data, created_at)
            VALUES (NEW.sub, 'password', 'password', NEW.password_hash, NEW.updated_at)
            ON CONFLICT (sub, id) DO UPDATE SET data = excluded.data, created_at = excluded.created_at
            WHERE credentials.data <> excluded.data;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER password_inserted_by_former_release AFTER INSERT ON users REFERENCING NEW TABLE AS inserted
        FOR EACH STATEMENT EXECUTE FUNCTION passwords_of_users_inserted();
      CREATE TRIGGER password_changed_by_former_release AFTER UPDATE OF password_hash ON users
        FOR EACH ROW WHEN (NEW.password_hash IS DISTINCT FROM OLD.password_hash)
        EXECUTE FUNCTION password_of_user_changed();

      INSERT INTO credentials (sub, id, kind, data, created_at)
        SELECT sub, 'password', 'password', password_hash, updated_at FROM users WHERE password_hash IS NOT NULL;

      CREATE FUNCTION password_credentials_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE users SET password_hash = inserted.data FROM inserted
          WHERE inserted.kind = 'password' AND users.sub = inserted.sub AND users.password_hash IS DISTINCT FROM inserted.data;
        RETURN NULL;
      END $$;
      CREATE FUNCTION password_credential_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          UPDATE users SET password_hash = NULL WHERE sub = OLD.sub AND password_hash IS NOT NULL;
        ELSE
          UPDATE users SET password_hash = NEW.data WHERE sub = NEW.sub AND password_hash IS DISTINCT FROM NEW.data;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER password_inserted AFTER INSERT ON credentials REFERENCING NEW TABLE AS inserted
        FOR EACH STATEMENT EXECUTE FUNCTION password_credentials_inserted();
      CREATE TRIGGER password_changed AFTER UPDATE OF data ON credentials
        FOR EACH ROW WHEN (NEW.kind = 'password') EXECUTE FUNCTION password_credential_changed();
      CREATE TRIGGER password_removed AFTER DELETE ON credentials
        FOR EACH ROW WHEN (OLD.kind = 'password') EXECUTE FUNCTION password_credential_changed();
    `,
};
