import { Module } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { PersistedDocuments } from './persisted-documents.js';

/** Provides the allowed documents; undefined if all documents are allowed. */
@Module({
  providers: [
    {
      provide: PersistedDocuments,
      inject: [Settings],
      useFactory: async ({ PERSISTED_DOCUMENTS: folder }: Settings) =>
        folder === undefined ? undefined : PersistedDocuments.read(folder),
    },
  ],
  exports: [PersistedDocuments],
})
export class PersistedDocumentsModule {}
