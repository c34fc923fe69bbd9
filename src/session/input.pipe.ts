import { ValidationPipe } from '@nestjs/common';
import { invalidInput } from '../errors/request-error.js';

/** Checks the inputs of a resolver by the rules of their classes, whatever pipes the application has. */
export const INPUT_PIPE = new ValidationPipe({
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  exceptionFactory: invalidInput,
});
