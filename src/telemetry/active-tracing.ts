/** The injection token of the `Tracing` of the service; undefined when traces are off. */
export const ActiveTracing = Symbol('ActiveTracing');
