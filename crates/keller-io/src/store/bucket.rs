//! A bucket of object storage with the interface of Amazon S3. An object appears whole or not at all.

use std::io;
use std::sync::Arc;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use tokio::runtime::Runtime;

use super::entry::Entry;

/// A part of a bucket.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    store: Arc<AmazonS3>,
    folder: Path,
    /// The runtime on which the store waits for answers.
    runtime: Arc<Runtime>,
}

impl Bucket {
    /// The bucket and folder of an address, with keys, region and endpoint from the environment (`AWS_...`). The error
    /// says what is wrong.
    pub(super) fn new(address: &str) -> Result<Self, String> {
        let accepted = "accepted: s3://BUCKET/FOLDER";
        let Some((name, folder)) = address
            .strip_prefix("s3://")
            .map(|rest| rest.split_once('/').unwrap_or((rest, "")))
        else {
            return Err(accepted.to_owned());
        };
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(name)
            .build()
            .map_err(|error| format!("{error}; {accepted}"))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            store: Arc::new(store),
            folder: Path::from(folder),
            runtime: Arc::new(runtime),
        })
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let place = self.place(name);
        let put = self.store.put(&place, PutPayload::from(bytes.to_vec()));
        self.runtime.block_on(put).map(|_| ()).map_err(other)
    }

    pub(super) fn create(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        let options = PutOptions::from(PutMode::Create);
        let (place, payload) = (self.place(name), PutPayload::from(bytes.to_vec()));
        let put = self.store.put_opts(&place, payload, options);
        match self.runtime.block_on(put) {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            Err(error) => Err(other(error)),
        }
    }

    pub(super) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let place = self.place(name);
        let get = async { self.store.get(&place).await?.bytes().await };
        found(self.runtime.block_on(get)).map(|bytes| bytes.map(|bytes| bytes.to_vec()))
    }

    pub(super) fn num_bytes(&self, name: &str) -> io::Result<Option<u64>> {
        let place = self.place(name);
        let about = self.runtime.block_on(self.store.head(&place));
        found(about).map(|about| about.map(|about| about.size))
    }

    pub(super) fn entries(&self, name: &str) -> io::Result<Vec<Entry>> {
        let folder = self.place(name);
        let listed = self.store.list_with_delimiter(Some(&folder));
        let listed = self.runtime.block_on(listed).map_err(other)?;
        let entry = |object: object_store::ObjectMeta| Entry {
            name: object.location.filename().unwrap_or_default().to_owned(),
            num_bytes: object.size,
        };
        let mut entries: Vec<Entry> = listed.objects.into_iter().map(entry).collect();
        entries.sort_unstable();
        Ok(entries)
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        let place = self.place(name);
        self.runtime
            .block_on(self.store.delete(&place))
            .map_err(other)
    }

    fn place(&self, name: &str) -> Path {
        name.split('/').fold(self.folder.clone(), Path::join)
    }
}

/// The content of an answer; `None` if there is no such object.
fn found<T>(answer: Result<T, Error>) -> io::Result<Option<T>> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(other(error)),
    }
}

fn other(error: Error) -> io::Error {
    io::Error::other(error)
}
