/** The rail: name and address of each place. */
export const places = {
  overview: '/console',
  applications: '/console/applications',
  users: '/console/users',
  activity: '/console/activity',
  refusals: '/console/refusals',
  webhooks: '/console/webhooks',
  operators: '/console/operators',
  settings: '/console/settings',
} as const;
export type Place = keyof typeof places;
