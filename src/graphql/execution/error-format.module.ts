import { Module } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { RequestScope } from '../../logging/request-scope.js';
import { ErrorFormat } from '../../errors/to-graphql-error.js';

/** Provides the one form of errors, for Apollo's answers and for those that do not pass through Apollo's execution. */
@Module({
  providers: [
    {
      provide: ErrorFormat,
      inject: [Settings, RequestScope],
      useFactory: ({ introspection }: Settings, { requestId }: RequestScope) =>
        new ErrorFormat(introspection, requestId),
    },
  ],
  exports: [ErrorFormat],
})
export class ErrorFormatModule {}
