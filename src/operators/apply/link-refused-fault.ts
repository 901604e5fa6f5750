import { type LinkRefused, MAX_LINKS_OF_USER } from '../../people/linking/rules.ts';

/** What `apply`, `diff`, `import users` and the admin API say of a link to an identity provider. */
export function linkRefusedFault({ reason, username }: LinkRefused): string {
  switch (reason) {
    case 'taken':
      return `belongs to the user "${username}": leave it out, or remove it there first`;
    case 'noProvider':
      return 'names a provider that is not registered';
    case 'full':
      return `would be more than the ${MAX_LINKS_OF_USER} that a user can have`;
  }
}
