//! Rows of numbers that Rust and Python share without copies, through the buffer protocol.
//!
//! The buffer protocol is a part of Python, so neither side depends on NumPy. `numpy.asarray` turns an
//! [`Array`] into a NumPy array that uses the same memory.

use std::ffi::{c_int, c_void};
use std::ptr;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

/// Numbers owned by Rust, in one or two dimensions, which Python reads through the buffer protocol.
#[pyclass(frozen, module = "captune._captune")]
pub(crate) struct Array {
    numbers: Vec<f64>,
    shape: Vec<ffi::Py_ssize_t>,
    strides: Vec<ffi::Py_ssize_t>,
}

impl Array {
    const SIZE: ffi::Py_ssize_t = size_of::<f64>() as ffi::Py_ssize_t;

    /// Returns an array of one dimension.
    pub(crate) fn vector(numbers: Vec<f64>) -> Self {
        let shape = vec![numbers.len() as ffi::Py_ssize_t];
        Self { numbers, shape, strides: vec![Self::SIZE] }
    }

    /// Returns an array of rows with `width` columns.
    pub(crate) fn matrix(numbers: Vec<f64>, width: usize) -> Self {
        let rows = (numbers.len() / width.max(1)) as ffi::Py_ssize_t;
        let width = width as ffi::Py_ssize_t;
        Self { numbers, shape: vec![rows, width], strides: vec![width * Self::SIZE, Self::SIZE] }
    }
}

#[pymethods]
impl Array {
    fn __len__(&self) -> usize {
        self.shape[0] as usize
    }

    /// # Safety
    /// Python passes a valid view.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("the view is null"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("the array is read-only; copy it to change it"));
        }
        let array = slf.get();
        let wanted = |flag: c_int| flags & flag == flag;
        // SAFETY: the view is valid and not null. The pointers refer to parts of this object, which is frozen
        // and which the view keeps alive through `obj`.
        unsafe {
            (*view).buf = array.numbers.as_ptr() as *mut c_void;
            (*view).len = (array.numbers.len() * size_of::<f64>()) as ffi::Py_ssize_t;
            (*view).readonly = 1;
            (*view).itemsize = Self::SIZE;
            (*view).format =
                if wanted(ffi::PyBUF_FORMAT) { c"d".as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).ndim = array.shape.len() as c_int;
            (*view).shape =
                if wanted(ffi::PyBUF_ND) { array.shape.as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).strides =
                if wanted(ffi::PyBUF_STRIDES) { array.strides.as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }
}

/// Numbers that Python owns. The buffer keeps them alive, and their owner cannot resize them meanwhile.
pub(crate) struct Shared {
    buffer: PyBuffer<f64>,
    /// Number of columns; 0 for a vector.
    pub(crate) width: usize,
}

impl Shared {
    /// Borrows an object's numbers: 64-bit floats in C order, in `dimensions` dimensions.
    pub(crate) fn borrow(object: &Bound<'_, PyAny>, name: &str, dimensions: usize) -> PyResult<Self> {
        let buffer = PyBuffer::<f64>::get(object).map_err(|_| {
            PyTypeError::new_err(format!(
                "{name} must hold 64-bit floats; convert it with numpy.asarray({name}, dtype=float)"
            ))
        })?;
        if buffer.dimensions() != dimensions {
            let found = buffer.dimensions();
            let message = format!("{name} has {found} dimensions; expected {dimensions}");
            return Err(PyValueError::new_err(message));
        }
        if !buffer.is_c_contiguous() {
            let message = format!("{name} is not in C order; use numpy.ascontiguousarray({name})");
            return Err(PyValueError::new_err(message));
        }
        let width = if dimensions == 2 { buffer.shape()[1] } else { 0 };
        if dimensions == 2 && width == 0 {
            return Err(PyValueError::new_err(format!("{name} has no columns")));
        }
        Ok(Self { buffer, width })
    }

    /// Returns the numbers.
    ///
    /// The caller must not write to the array from another thread meanwhile. As with NumPy's own functions,
    /// the result is then unspecified.
    pub(crate) fn numbers(&self) -> &[f64] {
        match self.buffer.as_slice_ptr() {
            // SAFETY: the buffer is contiguous and alive as long as `self`, and its elements are valid floats
            // whatever their bits.
            Some(slice) => unsafe { slice.as_ref() },
            None => &[],
        }
    }
}
