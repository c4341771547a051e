//! The jobs of a plan: one for each family of variants.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use keller_io::scenario::{Scenario, ScenarioError, ScenarioTx, SceneSettings};
use keller_io::store::scene_cache::CompiledScene;
use keller_io::store::{BatchStore, Kind};

use crate::observer::{Event, Observer};
use crate::scene::{prepare_scene, read_scene};
use crate::{Error, Job, Machine};

/// Makes jobs of the variants of a scenario, in scenes that are built once.
pub(super) struct Jobs {
    file: PathBuf,
    observer: Arc<dyn Observer>,
    /// The last scene, and the settings that it was made from.
    scene: Option<(SceneSettings, CompiledScene)>,
    pub(super) machine: Machine,
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Jobs")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Jobs {
    /// The jobs of the scenario in a file. Messages that repeat from job to job are reported once.
    pub(super) fn new(file: PathBuf, observer: Arc<dyn Observer>) -> Self {
        let observer = Arc::new(Once {
            inner: observer,
            told: Mutex::default(),
        });
        Self {
            file,
            observer,
            scene: None,
            machine: Machine::default(),
        }
    }

    /// The job of some variants that differ in their Tx alone; without a number, of the scenario itself. Its scene is taken
    /// from a store, if that has it.
    pub(super) fn of(
        &mut self,
        variants: &[usize],
        store: Option<&BatchStore>,
    ) -> Result<Arc<Job>, Error> {
        let scenario = family(&self.file, variants)?;
        let settings = &scenario.scene;
        let compiled = match self.scene.take() {
            Some((of, compiled)) if of == *settings => compiled,
            _ => {
                let kept = store.map(BatchStore::scene).transpose()?.flatten();
                let read = kept.map(|file| read_scene(file.path(), settings, &*self.observer));
                match read.transpose()?.flatten() {
                    Some(compiled) => compiled,
                    None => prepare_scene(settings, &*self.observer, &|_| Ok(()))?,
                }
            }
        };
        self.scene = Some((settings.clone(), compiled.clone()));
        let observer = Arc::clone(&self.observer);
        Job::new(scenario, compiled, &self.machine, observer)
    }

    /// The observer of the jobs.
    pub(super) fn observer(&self) -> &dyn Observer {
        &*self.observer
    }

    /// The scene of the last job, and the settings that it was made from.
    pub(super) fn scene(&self) -> Option<&(SceneSettings, CompiledScene)> {
        self.scene.as_ref()
    }
}

/// The variants of a scenario that are computed together: of the gains in cells those that differ in their Tx alone, of
/// other results each by itself. One family without variants, if the scenario has none.
pub(super) fn families(file: &Path, kind: Kind) -> Result<Vec<Vec<usize>>, Error> {
    let Some(variants) = Scenario::variants(file)? else {
        return Ok(vec![Vec::new()]);
    };
    let count = variants.count();
    if kind != Kind::Cells {
        return Ok((0..count).map(|number| vec![number]).collect());
    }
    let mut families: Vec<Vec<usize>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for number in 0..count {
        let rest = variants.text_without_tx(number)?;
        let place = *places.entry(rest).or_insert(families.len());
        if place == families.len() {
            families.push(Vec::new());
        }
        families[place].push(number);
    }
    Ok(families)
}

/// The scenario of a family: that of its first variant, with the different Tx of all.
pub(super) fn family(file: &Path, variants: &[usize]) -> Result<Scenario, Error> {
    let [first, others @ ..] = variants else {
        return Ok(Scenario::load(file)?);
    };
    let mut scenario = variant(file, *first)?;
    if others.is_empty() {
        return Ok(scenario);
    }
    let (mut different, mut known) = (Vec::new(), Vec::new());
    for number in variants {
        for tx in variant(file, *number)?.tx {
            let plain = plain(&tx);
            if !known.contains(&plain) {
                known.push(plain);
                different.push(tx);
            }
        }
    }
    if let Some(all) = Scenario::variants(file)? {
        scenario.text = all.text_without_tx(*first)?;
    }
    scenario.tx = different;
    // It is none of them.
    scenario.variant = None;
    Ok(scenario)
}

/// The family of a variant, and of each Tx of the variant its number there; `None` if it has no other member.
///
/// # Errors
/// [`Error::Scenario`]
pub(crate) fn family_of(
    scenario: &Scenario,
    kind: Kind,
) -> Result<Option<(Scenario, Vec<usize>)>, Error> {
    let Some(number) = scenario.variant else {
        return Ok(None);
    };
    let all = families(&scenario.file, kind)?;
    let own = all.iter().find(|family| family.contains(&number));
    let Some(own) = own.filter(|own| own.len() > 1) else {
        return Ok(None);
    };
    let family = family(&scenario.file, own)?;
    let tx = tx_of(scenario, &family);
    let tx = tx.ok_or_else(|| {
        let file = scenario.file.display();
        Error::Input(format!(
            "{file}: it has changed since it was read; run the command again"
        ))
    })?;
    Ok(Some((family, tx)))
}

/// The number in its family of each Tx of a variant.
pub(super) fn tx_of(variant: &Scenario, family: &Scenario) -> Option<Vec<usize>> {
    let of_family: Vec<ScenarioTx> = family.tx.iter().map(plain).collect();
    let own = variant.tx.iter().map(plain);
    own.map(|tx| of_family.iter().position(|other| *other == tx))
        .collect()
}

fn variant(file: &Path, number: usize) -> Result<Scenario, ScenarioError> {
    let mut name = file.as_os_str().to_owned();
    name.push(format!("#{number}"));
    Scenario::load(name.as_ref())
}

/// The data that the gains of a Tx follow from: equal ones bring equal gains.
fn plain(tx: &ScenarioTx) -> ScenarioTx {
    ScenarioTx {
        name: None,
        file: PathBuf::new(),
        line: 0,
        power_dbm: 0.0,
        ..tx.clone()
    }
}

/// Passes every message on once.
struct Once {
    inner: Arc<dyn Observer>,
    told: Mutex<HashSet<String>>,
}

impl Observer for Once {
    fn tell(&self, event: Event) {
        if let Event::Warning(message) | Event::Note(message) = &event {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            if !told.insert(message.clone()) {
                return;
            }
        }
        self.inner.tell(event);
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        self.inner.cancelled()
    }

    fn memory_left(&self) -> u64 {
        self.inner.memory_left()
    }

    fn takes_memory(&self, what: Option<&str>) {
        self.inner.takes_memory(what);
    }

    fn ran_short(&self) -> bool {
        self.inner.ran_short()
    }

    fn out_of_memory(&self) -> String {
        self.inner.out_of_memory()
    }
}
