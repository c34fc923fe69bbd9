import { Module } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { PersistedDocuments } from './persisted-documents.js';

/** Gives the documents that are allowed; undefined where all are. */
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
