struct LockFile {
  var directory: File
  /// The file's name in its directory.
  var name: String
  /// Whether every user of the machine may take the lock, or only the owner of the file.
  var belongsToAll: Bool

  /// The open file, locked by us or held by another process.
  enum Taking {
    case taken(File)
    case held(File, by: LockHolder?)
  }

  /// How often to start again when the file disappears between two steps.
  private static let tries = 10

  /// Opens or creates the file, tries to lock it without waiting, and writes the holder into it.
  /// - Throws: `inTheWay` when it is not a regular file, or another system error.
  func take(for holder: LockHolder) throws(JournalError) -> Taking {
    for _ in 0..<Self.tries {
      guard let file = try open() else {
        try make(for: holder)
        continue
      }
      guard try file.lock() else {
        return .held(file, by: LockHolder(line: try file.beginning(LockHolder.longest)))
      }
      // A lock on a file that was removed or replaced would exclude no process.
      guard file.identity == directory.identity(of: name) else { continue }
      // On a full disk the lock holds, but the file does not name the holder.
      file.replaceContent(with: holder.line)
      return .taken(file)
    }
    throw JournalError(.lock, directory.path + "/" + name, .missing)
  }

  /// - Returns: nil when the file does not exist.
  private func open() throws(JournalError) -> File? {
    do throws(JournalError) {
      let file = try directory.updating(name)
      guard file.isPlain else { throw JournalError(.open, file.path, .inTheWay) }
      return file
    } catch {
      if error.cause == .missing { return nil }
      throw error
    }
  }

  /// Creates the file, unless another process does so first.
  private func make(for holder: LockHolder) throws(JournalError) {
    do throws(JournalError) {
      guard belongsToAll else {
        _ = try directory.create(name)
        return
      }
      // The hard link makes the file appear with its final mode, so another user never finds it with mode
      // 0600. Run ids are unique, so the temporary name is too.
      let temporary = ".\(name).\(holder.run)"
      let file = try directory.create(temporary)
      defer { directory.remove(temporary) }
      try file.letAllReadAndWrite()
      _ = try directory.hardLink(temporary, as: name)
    } catch {
      if error.cause != .exists { throw error }
    }
  }
}
