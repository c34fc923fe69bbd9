import { ValidationPipe } from '@nestjs/common';
import { invalidInput } from '../errors/request-error.js';

/** Checks the inputs of a resolver by the rules of their classes, whatever pipes the application has. */
export const INPUT_PIPE = new ValidationPipe({
  // Otherwise the instance that was checked would be made into a plain object again.
  transform: true,
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  exceptionFactory: invalidInput,
});
