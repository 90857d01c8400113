//! Tables through Arrow's C stream interface, in the capsules that pandas, polars, pyarrow and others take.
//!
//! The three structures have the layout that Arrow's specification gives. Each of them owns what its `private_data`
//! points to and frees it in `release`. A consumer may move a structure, or a child of it, by copying its bytes and
//! setting the `release` of the original to null; so every child shares the columns on its own, and nothing refers to
//! the address of a structure. The columns are never changed and hold no Python objects, so consumers may read and
//! release them in any thread, without the interpreter's lock.
//!
//! All unsafe code of the interface is in this file; [`Column`] fills the buffers.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::column::{Column, Data, Texts};

/// The flag of a field that may have missing values.
const NULLABLE: i64 = 2;

/// The type of a table or a column.
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Self,
    dictionary: *mut Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// The values of a table or a column.
#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Self,
    dictionary: *mut Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// A source of tables of one type.
#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut Self, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Self, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Self) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// The name, the kind and the values of each column.
type Columns<'py> = Vec<Named<'py>>;
type Named<'py> = (String, Option<String>, Bound<'py, PyList>);

/// Returns a capsule with the table's type.
#[pyfunction]
pub(crate) fn arrow_schema(py: Python<'_>, columns: Columns<'_>) -> PyResult<Py<PyAny>> {
    capsule(py, ArrowSchema::of_table(&read(columns)?))
}

/// Returns a capsule with a stream of the table, in one part.
#[pyfunction]
pub(crate) fn arrow_stream(py: Python<'_>, columns: Columns<'_>) -> PyResult<Py<PyAny>> {
    capsule(py, ArrowArrayStream::of(read(columns)?))
}

fn read(columns: Columns<'_>) -> PyResult<Arc<[Column]>> {
    let read = |(name, kind, values): &Named<'_>| Column::read(name, kind.as_deref(), values);
    let columns: Vec<Column> = columns.iter().map(read).collect::<PyResult<_>>()?;
    if let Some(other) = columns.iter().find(|column| column.length != columns[0].length) {
        return Err(PyValueError::new_err(format!(
            "column {:?} has {} values, and {:?} has {}",
            columns[0].name, columns[0].length, other.name, other.length
        )));
    }
    Ok(columns.into())
}

/// A structure that a capsule can hold.
trait Held: Sized {
    /// The capsule's name, which tells consumers what it holds.
    const NAME: &'static CStr;

    /// Frees what the structure owns, unless it was moved away.
    ///
    /// # Safety
    /// `held` points to a structure that is initialised.
    unsafe fn release(held: *mut Self);
}

/// Implements [`Held`] by the `release` callback that all three structures have.
macro_rules! held {
    ($structure:ty, $name:literal) => {
        impl Held for $structure {
            const NAME: &'static CStr = $name;

            unsafe fn release(held: *mut Self) {
                // SAFETY: the caller passes an initialised structure, and a callback that is still set expects it.
                unsafe {
                    if let Some(release) = (*held).release {
                        release(held);
                    }
                }
            }
        }
    };
}
held!(ArrowSchema, c"arrow_schema");
held!(ArrowArray, c"arrow_array");
held!(ArrowArrayStream, c"arrow_array_stream");

fn capsule<T: Held>(py: Python<'_>, held: T) -> PyResult<Py<PyAny>> {
    let pointer = Box::into_raw(Box::new(held));
    // SAFETY: the pointer is not null, the name lives forever, and `dropped` frees the box that it points to.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer.cast(), T::NAME.as_ptr(), Some(dropped::<T>));
        let capsule = Bound::from_owned_ptr_or_err(py, capsule).inspect_err(|_| free(pointer))?;
        Ok(capsule.unbind())
    }
}

/// Frees the content of a capsule that nobody needs any more.
unsafe extern "C" fn dropped<T: Held>(capsule: *mut ffi::PyObject) {
    // SAFETY: Python passes the capsule that `capsule` made, so the pointer is from a box of this type.
    unsafe {
        let pointer = ffi::PyCapsule_GetPointer(capsule, T::NAME.as_ptr()).cast::<T>();
        if pointer.is_null() {
            // Another program renamed the capsule. What it holds is leaked, because it is not known to be ours.
            ffi::PyErr_Clear();
        } else {
            free(pointer);
        }
    }
}

/// Releases a structure and frees its box.
///
/// # Safety
/// The pointer is from [`Box::into_raw`] and not used again.
unsafe fn free<T: Held>(pointer: *mut T) {
    // SAFETY: a box's content is initialised, and the caller gives it up.
    unsafe {
        T::release(pointer);
        drop(Box::from_raw(pointer));
    }
}

/// What a schema or an array owns.
struct Owned<T: Held> {
    /// The name, the values of the buffers, and everything else that pointers refer to.
    _columns: Arc<[Column]>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut T>,
    dictionary: *mut T,
}

impl<T: Held> Owned<T> {
    fn new(columns: &Arc<[Column]>, children: Vec<T>, dictionary: Option<T>) -> Box<Self> {
        let boxed = |held| Box::into_raw(Box::new(held));
        Box::new(Self {
            _columns: columns.clone(),
            buffers: Vec::new(),
            children: children.into_iter().map(boxed).collect(),
            dictionary: dictionary.map_or(ptr::null_mut(), boxed),
        })
    }
}

impl<T: Held> Drop for Owned<T> {
    fn drop(&mut self) {
        let all = self.children.iter().copied().chain([self.dictionary]);
        for pointer in all.filter(|pointer| !pointer.is_null()) {
            // SAFETY: `new` made the pointer from a box. A consumer may have moved the structure away, but never frees
            // the box.
            unsafe { free(pointer) };
        }
    }
}

impl ArrowSchema {
    fn of_table(columns: &Arc<[Column]>) -> Self {
        let children = (0..columns.len()).map(|at| Self::of_column(columns, at)).collect();
        Self::new(columns, c"+s", c"", 0, children, None)
    }

    fn of_column(columns: &Arc<[Column]>, at: usize) -> Self {
        let texts = || Self::new(columns, c"U", c"", 0, Vec::new(), None);
        let (format, dictionary) = match &columns[at].data {
            Data::Missing => (c"n", None),
            Data::Booleans(_) => (c"b", None),
            Data::Integers(_) => (c"l", None),
            Data::Floats(_) => (c"g", None),
            Data::Texts(_) => (c"U", None),
            Data::Categories(..) => (c"i", Some(texts())),
        };
        Self::new(columns, format, &columns[at].name, NULLABLE, Vec::new(), dictionary)
    }

    /// Returns a schema. `name` is static or a part of the columns.
    fn new(
        columns: &Arc<[Column]>,
        format: &'static CStr,
        name: &CStr,
        flags: i64,
        children: Vec<Self>,
        dictionary: Option<Self>,
    ) -> Self {
        let mut owned = Owned::new(columns, children, dictionary);
        Self {
            format: format.as_ptr(),
            name: name.as_ptr(),
            metadata: ptr::null(),
            flags,
            n_children: owned.children.len() as i64,
            children: owned.children.as_mut_ptr(),
            dictionary: owned.dictionary,
            release: Some(Self::released),
            private_data: Box::into_raw(owned).cast(),
        }
    }

    unsafe extern "C" fn released(schema: *mut Self) {
        // SAFETY: consumers call this once, with a schema that `new` filled in.
        unsafe {
            drop(Box::from_raw((*schema).private_data.cast::<Owned<Self>>()));
            (*schema).release = None;
        }
    }
}

impl ArrowArray {
    fn of_table(columns: &Arc<[Column]>) -> Self {
        let children = (0..columns.len()).map(|at| Self::of_column(columns, at)).collect();
        // A table has one buffer, for missing rows, and no row is missing.
        let length = columns.first().map_or(0, |column| column.length);
        Self::new(columns, length, 0, vec![ptr::null()], children, None)
    }

    fn of_column(columns: &Arc<[Column]>, at: usize) -> Self {
        let Column { length, missing, present, data, .. } = &columns[at];
        let present = if *missing == 0 { ptr::null() } else { present.as_ptr().cast() };
        let texts = |present: *const c_void, texts: &Texts| {
            vec![present, texts.offsets.as_ptr().cast(), texts.bytes.as_ptr().cast()]
        };
        let (buffers, dictionary) = match data {
            Data::Missing => (Vec::new(), None),
            Data::Booleans(bits) => (vec![present, bits.as_ptr().cast()], None),
            Data::Integers(numbers) => (vec![present, numbers.as_ptr().cast()], None),
            Data::Floats(numbers) => (vec![present, numbers.as_ptr().cast()], None),
            Data::Texts(all) => (texts(present, all), None),
            Data::Categories(codes, names) => {
                let names = Self::new(columns, names.count(), 0, texts(ptr::null(), names), Vec::new(), None);
                (vec![present, codes.as_ptr().cast()], Some(names))
            }
        };
        Self::new(columns, *length, *missing, buffers, Vec::new(), dictionary)
    }

    /// Returns an array. The buffers are parts of the columns.
    fn new(
        columns: &Arc<[Column]>,
        length: usize,
        missing: usize,
        buffers: Vec<*const c_void>,
        children: Vec<Self>,
        dictionary: Option<Self>,
    ) -> Self {
        let mut owned = Owned::new(columns, children, dictionary);
        owned.buffers = buffers;
        Self {
            length: length as i64,
            null_count: missing as i64,
            offset: 0,
            n_buffers: owned.buffers.len() as i64,
            n_children: owned.children.len() as i64,
            buffers: owned.buffers.as_mut_ptr(),
            children: owned.children.as_mut_ptr(),
            dictionary: owned.dictionary,
            release: Some(Self::released),
            private_data: Box::into_raw(owned).cast(),
        }
    }

    /// Returns the array that marks the end of a stream.
    fn end() -> Self {
        Self {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null_mut(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }

    unsafe extern "C" fn released(array: *mut Self) {
        // SAFETY: consumers call this once, with an array that `new` filled in.
        unsafe {
            drop(Box::from_raw((*array).private_data.cast::<Owned<Self>>()));
            (*array).release = None;
        }
    }
}

/// What a stream owns.
struct Source {
    columns: Arc<[Column]>,
    is_given: bool,
}

impl ArrowArrayStream {
    fn of(columns: Arc<[Column]>) -> Self {
        Self {
            get_schema: Some(Self::schema),
            get_next: Some(Self::next),
            get_last_error: Some(Self::last_error),
            release: Some(Self::released),
            private_data: Box::into_raw(Box::new(Source { columns, is_given: false })).cast(),
        }
    }

    unsafe extern "C" fn schema(stream: *mut Self, out: *mut ArrowSchema) -> c_int {
        // SAFETY: the consumer passes a stream that is not released, and a place for the schema.
        unsafe {
            let source = (*stream).private_data.cast::<Source>();
            out.write(ArrowSchema::of_table(&(*source).columns));
        }
        0
    }

    unsafe extern "C" fn next(stream: *mut Self, out: *mut ArrowArray) -> c_int {
        // SAFETY: the consumer passes a stream that is not released and that no other thread uses meanwhile, and a
        // place for the array.
        unsafe {
            let source = &mut *(*stream).private_data.cast::<Source>();
            let next =
                if source.is_given { ArrowArray::end() } else { ArrowArray::of_table(&source.columns) };
            source.is_given = true;
            out.write(next);
        }
        0
    }

    /// Neither of the other functions fails.
    unsafe extern "C" fn last_error(_stream: *mut Self) -> *const c_char {
        ptr::null()
    }

    unsafe extern "C" fn released(stream: *mut Self) {
        // SAFETY: consumers call this once, with a stream that `of` filled in.
        unsafe {
            drop(Box::from_raw((*stream).private_data.cast::<Source>()));
            (*stream).release = None;
        }
    }
}
