import Model

extension Room {
  /// The secrets that come from files of labels, until they are resolved: where each file is, and the reference to it.
  var labelSources: [SettingName: (file: String, reference: SecretReference)] {
    access.compactMapValues { value in
      guard case .secret(let secret) = value, let reference = secret.reference,
        case .labels(let path, _, _) = reference.source
      else { return nil }
      return (InputFile.path(path, beside: reference.file), reference)
    }
  }
}
