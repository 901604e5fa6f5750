import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { delivered } from '../../build/delivered.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { codeIn, linkIn, MailTown } from '../../build/mail-people.ts';
import { testPart } from '../../build/suite-part.ts';
import { foreignWordsIn } from '../../build/text-tables.ts';
import { authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';

/** A browser of somebody who reads German. */
class GermanVisitor extends Visitor {
  override go(url: string, init: Parameters<Visitor['go']>[1] = {}): Promise<Seen> {
    return super.go(url, { ...init, headers: { ...init.headers, 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' } });
  }
}

const NEW_PASSWORD = 'drei ganz andere Worte';

/** docs/decisions/texts.md: a language is complete where people read. */
describe('a person who reads German', () => {
  const town = testPart(() => new MailTown());
  const server = testPart(() =>
    town.start({
      applications: [anApplication({ sign_up: true })],
      users: [
        aUser(),
        aUser({ username: 'theo', email: 'theo@example.com', phone_number: null, totp_secret: TOTP_SECRET }),
      ],
    }),
  );
  const visitor = testPart(() => new GermanVisitor(server.base));

  /** A page in German, with this heading, and nothing of the other languages. */
  const assertGerman = async (seen: Seen, heading: string): Promise<Seen> => {
    assert.match(seen.text, /<html lang="de"/);
    assert.equal(/<h1>([^<]*)<\/h1>/.exec(seen.text)?.[1], heading);
    assert.deepEqual(await foreignWordsIn(seen.text), []);
    return seen;
  };
  const logIn = async (page: Seen, username: string, password = PASSWORD) =>
    visitor.send(formWith(page, 'password'), { username, password });
  const linkTo = (page: Seen, path: string) =>
    server.base + (new RegExp(`href="(${path}[^"]*)"`).exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&');

  it('signs in with a second factor', async () => {
    const login = await assertGerman(await visitor.follow(authorizationUrl(server)), 'Anmelden');
    assert.match(login.text, /<title>Anmelden · Shop<\/title>/);
    const wrong = await assertGerman(await logIn(login, 'theo', 'wrong'), 'Anmelden');
    assert.match(wrong.text, /Benutzername und Passwort passen nicht zusammen/);
    const step = await assertGerman(await logIn(wrong, 'theo'), 'Bestätigungscode eingeben');
    await assertGerman(await visitor.go(linkTo(step, '/login/recovery')), 'Wiederherstellungscode eingeben');
    const app = anAuthenticator(town.clock);
    const refused = await visitor.send(formWith(step, 'code'), { code: app.wrongCode() });
    assert.match((await assertGerman(refused, 'Bestätigungscode eingeben')).text, /Dieser Code ist falsch/);
    assert(delivered(await visitor.send(formWith(refused, 'code'), { code: app.code() })).fields.code);
  });

  it('signs up with the code of a mail', async () => {
    const login = await visitor.follow(authorizationUrl(server));
    const form = await assertGerman(await visitor.go(linkTo(login, '/signup')), 'Konto erstellen');
    const typed = { email: 'erika@example.com', password: 'kurz' };
    const short = await assertGerman(await visitor.send(formWith(form, 'email'), typed), 'Konto erstellen');
    assert.match(short.text, /Dieses Passwort muss mindestens \d+ Zeichen haben/);
    const sent = await visitor.send(formWith(short, 'email'), { ...typed, password: NEW_PASSWORD });
    await assertGerman(sent, 'Sehen Sie in Ihr Postfach');
    const mail = await town.newestMail();
    assert.equal(mail.subject, 'Bestätigen Sie Ihre E-Mail-Adresse für Shop');
    assert.match(mail.html, /<html lang="de">/);
    assert.deepEqual([await foreignWordsIn(mail.text), await foreignWordsIn(mail.html)], [[], []]);
    assert(delivered(await visitor.send(formWith(sent, 'code'), { code: codeIn(mail) })).fields.code);
  });

  it('sets a new password by the link of a mail', async () => {
    const forgot = await visitor.follow(`${server.base}/forgot-password`);
    await assertGerman(forgot, 'Passwort vergessen?');
    const sent = await visitor.send(formWith(forgot, 'username'), { username: 'alice' });
    await assertGerman(sent, 'Sehen Sie in Ihr Postfach');
    const mail = await town.newestMail();
    assert.match(mail.subject, /^Neues Passwort für .* festlegen$/);
    const choose = await assertGerman(await visitor.go(linkIn(mail)), 'Neues Passwort festlegen');
    const done = await visitor.send(formWith(choose, 'password'), { password: NEW_PASSWORD });
    await assertGerman(done, 'Ihr Passwort ist festgelegt');
    assert.match((await town.newestMail()).subject, /^Ihr Passwort für .* wurde geändert$/);
    await assertGerman(await visitor.go(linkIn(mail)), 'Das hat nicht funktioniert');
  });

  it('finds every page of the account, and leaves', async () => {
    await logIn(await visitor.follow(`${server.base}/account`), 'alice');
    const pages = {
      '/': 'Sie sind als alice angemeldet',
      '/account': 'Ihr Profil',
      '/account/profile': 'Profil bearbeiten',
      '/account/email': 'E-Mail-Adresse',
      '/account/security': 'Anmeldung und Sicherheit',
      '/account/security/password': 'Passwort ändern',
      '/account/security/totp': 'Authenticator-App einrichten',
      '/account/sessions': 'Wo Sie angemeldet sind',
      '/account/access': 'Wer Zugriff hat',
      '/account/activity': 'Was in Ihrem Konto geschehen ist',
      '/account/data': 'Ihre Daten',
      '/account/data/delete': 'Konto löschen',
      '/device': 'Gerät verbinden',
      '/nowhere': 'Das hat nicht funktioniert',
      '/logout': 'Abmelden?',
    };
    for (const [path, heading] of Object.entries(pages)) {
      await assertGerman(await visitor.follow(server.base + path), heading);
    }
    const activity = await visitor.go(`${server.base}/account/activity`);
    assert.match(activity.text, /Sie haben sich angemeldet/);
    const question = await visitor.go(`${server.base}/logout`);
    const form = { action: question.url, fields: new URLSearchParams() };
    await assertGerman(await visitor.send(form), 'Sie sind abgemeldet');
  });
});
