"""Export of models as Functional Mock-up Units (FMI 2.0 and 3.0) that run without Python: `export_fmu`."""
