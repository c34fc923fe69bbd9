/** Without this file, Vitest would take the configuration of the checkout around it. */
export default {};
