import { capability, from, placeOf } from '../../capability.ts';

/** The console at /console: its frame and parts of pages. The pages themselves are in the folders of their capabilities (`console`). */
export const consoleFrame = capability('operators/console', {
  console: {
    '/console/continue': from(() => import('./continue-form.ts'), 'continueForm'),
  },
  places: {
    /** Until the folder of applications declares it. */
    applications: placeOf(
      '/console/applications',
      20,
      'listApplications',
      () => import('./text.ts'),
      'applicationsPlace',
    ),
  },
});
