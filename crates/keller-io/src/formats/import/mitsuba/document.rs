//! The XML as a tree of our own, in which `$name` is replaced by its default and `<include>` by the included elements.

use std::io;
use std::path::{Path, PathBuf};

use keller_geo::other_formats::way_out_as;
use keller_geo::shown::shown;

use crate::formats::import::text::line_at;
use crate::formats::import::{ReadFile, text};
use crate::formats::{ImportError, Place};

/// The largest depth of nested elements, and of included files: scenes need about five.
const MAX_DEPTH: usize = 64;

/// The largest number of elements of a scene, which counts included files each time they are included.
const MAX_NODES: usize = 20_000_000;

/// The largest length of a value after defaults are put in, bytes.
const MAX_VALUE: usize = 1 << 16;

/// A scene file with all that it includes.
pub(super) struct Document {
    /// The `<scene>` element.
    pub(super) root: Node,
    /// The folders in which files are looked for, in this order.
    pub(super) folders: Vec<PathBuf>,
    sources: Vec<Source>,
}

/// An element.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) tag: String,
    pub(super) children: Vec<Self>,
    attributes: Vec<(String, String)>,
    source: usize,
    offset: usize,
}

/// A file that was read.
struct Source {
    path: PathBuf,
    text: String,
}

impl Document {
    pub(super) fn parse(
        bytes: &[u8],
        file: &Path,
        read: &ReadFile<'_>,
    ) -> Result<Self, ImportError> {
        let mut builder = Builder {
            sources: Vec::new(),
            folders: vec![file.parent().unwrap_or(Path::new("")).to_owned()],
            defaults: Vec::new(),
            open_files: Vec::new(),
            num_nodes: 0,
            read,
        };
        let mut roots = builder.parse_file(bytes, file, 0)?;
        match roots.pop() {
            Some(root) if root.tag == "scene" => Ok(Self {
                root,
                folders: builder.folders,
                sources: builder.sources,
            }),
            other => {
                let tag = other.map_or(String::new(), |node| node.tag);
                let way_out = match tag.rsplit(':').next() {
                    Some("CityModel") => way_out_as("gml", file),
                    _ => String::new(),
                };
                let problem = format!(
                    "the root element is <{tag}>, but a Mitsuba scene has <scene>{way_out}"
                );
                Err(ImportError::malformed(file, Place::File, problem))
            }
        }
    }

    /// The file that `node` stands in.
    pub(super) fn path(&self, node: &Node) -> &Path {
        &self.sources[node.source].path
    }

    /// The error that something is wrong with `node`.
    pub(super) fn malformed(&self, node: &Node, problem: impl Into<String>) -> ImportError {
        let (file, place) = self.place(node);
        ImportError::malformed(&file, place, problem)
    }

    /// The file and line of `node`.
    pub(super) fn place(&self, node: &Node) -> (PathBuf, Place) {
        self.sources[node.source].place(node.offset)
    }

    /// The attribute `name` of `node`, which has to be there.
    pub(super) fn required<'n>(&self, node: &'n Node, name: &str) -> Result<&'n str, ImportError> {
        node.attribute(name).ok_or_else(|| {
            self.malformed(node, format!("<{}> has no attribute `{name}`", node.tag))
        })
    }

    /// `text`, which stands in `node`, as a finite number.
    pub(super) fn number(&self, node: &Node, text: &str) -> Result<f64, ImportError> {
        let number = text.trim().parse::<f64>().ok();
        number.filter(|number| number.is_finite()).ok_or_else(|| {
            let quoted = text::quoted(text.as_bytes());
            self.malformed(node, format!("{quoted} is not a finite number"))
        })
    }

    /// The numbers of `text`, parted by spaces or commas.
    pub(super) fn numbers(&self, node: &Node, text: &str) -> Result<Vec<f64>, ImportError> {
        text.split([' ', ',', '\t', '\n', '\r'])
            .filter(|word| !word.is_empty())
            .map(|word| self.number(node, word))
            .collect()
    }
}

impl Source {
    fn place(&self, offset: usize) -> (PathBuf, Place) {
        let line = line_at(self.text.as_bytes(), offset);
        (self.path.clone(), Place::Line(line))
    }
}

impl Node {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The child called `name`, such as `<float name="thickness" value="0.1"/>`.
    pub(super) fn property(&self, name: &str) -> Option<&Self> {
        let is_it = |child: &&Self| child.attribute("name") == Some(name);
        self.children.iter().find(is_it)
    }

    /// This element and those in it, outermost first, that have the tag `tag`.
    pub(super) fn descendants_tagged(&self, tag: &str) -> Vec<&Self> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            if node.tag == tag {
                found.push(node);
            }
            open.extend(node.children.iter().rev());
        }
        found
    }
}

struct Builder<'r> {
    sources: Vec<Source>,
    folders: Vec<PathBuf>,
    /// Names without `$`, the longest first, so that `$ab` is not taken for `$a`.
    defaults: Vec<(String, String)>,
    /// The files being read, each included by the one before.
    open_files: Vec<PathBuf>,
    num_nodes: usize,
    read: &'r ReadFile<'r>,
}

impl Builder<'_> {
    /// The root of a file.
    fn parse_file(
        &mut self,
        bytes: &[u8],
        file: &Path,
        depth: usize,
    ) -> Result<Vec<Node>, ImportError> {
        if bytes.is_empty() {
            return Err(ImportError::Empty {
                file: file.to_owned(),
            });
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(ImportError::malformed(
                file,
                Place::File,
                "the text is not UTF-8",
            ));
        };
        let options = roxmltree::ParsingOptions {
            nodes_limit: 50_000_000,
            ..roxmltree::ParsingOptions::default()
        };
        let tree = roxmltree::Document::parse_with_options(text, options).map_err(|error| {
            let line = usize::try_from(error.pos().row).unwrap_or(0);
            ImportError::malformed(file, Place::Line(line), format!("not XML: {error}"))
        })?;
        self.sources.push(Source {
            path: file.to_owned(),
            text: text.to_owned(),
        });
        self.open_files.push(file.to_owned());
        let mut nodes = Vec::new();
        let source = self.sources.len() - 1;
        self.build(tree.root_element(), source, depth, &mut nodes)?;
        self.open_files.pop();
        Ok(nodes)
    }

    /// Appends the elements that `element` stands for to `siblings`.
    fn build(
        &mut self,
        element: roxmltree::Node<'_, '_>,
        source: usize,
        depth: usize,
        siblings: &mut Vec<Node>,
    ) -> Result<(), ImportError> {
        let offset = element.range().start;
        self.num_nodes += 1;
        if depth > MAX_DEPTH || self.num_nodes > MAX_NODES {
            return Err(self.malformed(
                source,
                offset,
                "elements or included files are nested too deeply, or there are too many",
            ));
        }
        let mut attributes = Vec::with_capacity(element.attributes().len());
        for attribute in element.attributes() {
            let value = self.substitute(attribute.value(), source, offset)?;
            attributes.push((attribute.name().to_owned(), value));
        }
        let mut node = Node {
            tag: element.tag_name().name().to_owned(),
            children: Vec::new(),
            attributes,
            source,
            offset,
        };
        match node.tag.as_str() {
            "default" => self.set_default(&node)?,
            "path" => {
                let folder = self.attribute(&node, "value")?;
                let folder = self.folders[0].join(folder);
                self.folders.push(folder);
            }
            "include" => self.include(&node, depth, siblings)?,
            _ => {
                for child in element.children().filter(roxmltree::Node::is_element) {
                    self.build(child, source, depth + 1, &mut node.children)?;
                }
                siblings.push(node);
            }
        }
        Ok(())
    }

    /// `value` with every `$name` replaced.
    fn substitute(&self, value: &str, source: usize, offset: usize) -> Result<String, ImportError> {
        let mut done = String::with_capacity(value.len());
        let mut rest = value;
        while let Some((before, after)) = rest.split_once('$') {
            done.push_str(before);
            let found = self
                .defaults
                .iter()
                .find_map(|(name, default)| Some((default, after.strip_prefix(name.as_str())?)));
            let Some((default, after)) = found else {
                let name = text::quoted(format!("${after}").as_bytes());
                let known: Vec<_> = self
                    .defaults
                    .iter()
                    .map(|(name, _)| name.as_str())
                    .collect();
                let known = if known.is_empty() {
                    "there is no <default>".to_owned()
                } else {
                    format!("there is a <default> for {}", known.join(", "))
                };
                return Err(self.malformed(
                    source,
                    offset,
                    format!("nothing is known to put in for {name}; {known}"),
                ));
            };
            done.push_str(default);
            rest = after;
            if done.len() > MAX_VALUE {
                return Err(self.malformed(
                    source,
                    offset,
                    "a value grows too long when its <default>s are put in",
                ));
            }
        }
        done.push_str(rest);
        Ok(done)
    }

    /// The first definition of a default counts, as in Mitsuba.
    fn set_default(&mut self, node: &Node) -> Result<(), ImportError> {
        let name = self.attribute(node, "name")?.to_owned();
        let value = self.attribute(node, "value")?.to_owned();
        if !name.is_empty() && self.defaults.iter().all(|(known, _)| *known != name) {
            let shorter = |known: &(String, String)| known.0.len() < name.len();
            let at = self.defaults.iter().position(shorter);
            let at = at.unwrap_or(self.defaults.len());
            self.defaults.insert(at, (name, value));
        }
        Ok(())
    }

    /// Appends the contents of an included file: the children of its `<scene>`, or its root of another kind.
    fn include(
        &mut self,
        node: &Node,
        depth: usize,
        siblings: &mut Vec<Node>,
    ) -> Result<(), ImportError> {
        let name = self.attribute(node, "filename")?;
        let (path, bytes) = find(name, &self.folders, self.read);
        if self.open_files.contains(&path) {
            return Err(self.malformed(
                node.source,
                node.offset,
                format!("`{name}` includes itself", name = shown(name)),
            ));
        }
        let bytes = bytes.map_err(|source| ImportError::Read {
            file: path.clone(),
            named_by: Some(self.place(node.source, node.offset)),
            source,
        })?;
        for included in self.parse_file(&bytes, &path, depth + 1)? {
            if included.tag == "scene" {
                siblings.extend(included.children);
            } else {
                siblings.push(included);
            }
        }
        Ok(())
    }

    fn attribute<'n>(&self, node: &'n Node, name: &str) -> Result<&'n str, ImportError> {
        node.attribute(name).ok_or_else(|| {
            let problem = format!("<{}> has no attribute `{name}`", node.tag);
            self.malformed(node.source, node.offset, problem)
        })
    }

    fn malformed(&self, source: usize, offset: usize, problem: impl Into<String>) -> ImportError {
        let (file, place) = self.place(source, offset);
        ImportError::malformed(&file, place, problem)
    }

    fn place(&self, source: usize, offset: usize) -> (PathBuf, Place) {
        self.sources[source].place(offset)
    }
}

/// The file called `name` in the first of `folders` that has it: the last path that was tried, and its bytes.
pub(super) fn find(
    name: &str,
    folders: &[PathBuf],
    read: &ReadFile<'_>,
) -> (PathBuf, io::Result<Vec<u8>>) {
    // Scenes written on Windows separate folders by backslashes.
    let name = name.replace('\\', "/");
    let mut first = None;
    for folder in folders {
        let path = folder.join(&name);
        match read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                first.get_or_insert((path, Err(error)));
            }
            result => return (path, result),
        }
    }
    first.unwrap_or_else(|| (PathBuf::from(name), Err(io::ErrorKind::NotFound.into())))
}
