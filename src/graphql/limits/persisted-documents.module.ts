import { type DynamicModule, Module } from '@nestjs/common';
import { PersistedDocuments } from './persisted-documents.js';

/** Provides the allowed documents everywhere; undefined if all documents are allowed. */
@Module({})
export class PersistedDocumentsModule {
  static with(documents: PersistedDocuments | undefined): DynamicModule {
    return {
      module: PersistedDocumentsModule,
      global: true,
      providers: [{ provide: PersistedDocuments, useValue: documents }],
      exports: [PersistedDocuments],
    };
  }
}
