/** The application of the operators: its access tokens are for the admin API. No apply file names, exports or prunes it. */
export const BUILT_IN_APPLICATION = 'gatehouse';
