/// A file that stands for a lock.
struct LockFile {
  /// Where it is.
  var directory: File
  /// Its name there.
  var name: String
  /// Whether every user of the machine may take it, or its owner alone.
  var belongsToAll: Bool

  /// The open file: with its lock, or with who else has that.
  enum Taking {
    case taken(File)
    case held(File, by: LockHolder?)
  }

  /// Whoever sees the file go away between two steps begins again, so many times.
  private static let tries = 10

  /// Opens or makes the file, tries to lock it without waiting, and writes into it who has it.
  /// - Throws: `inTheWay` when it is no plain file; what the system says.
  func take(for holder: LockHolder) throws(JournalError) -> Taking {
    for _ in 0..<Self.tries {
      guard let file = try open() else {
        try make(for: holder)
        continue
      }
      guard try file.lock() else {
        return .held(file, by: LockHolder(line: try file.beginning(LockHolder.longest)))
      }
      // A lock on a file that another took the place of, or that is gone, would keep nobody out.
      guard file.identity == directory.identity(of: name) else { continue }
      // Where that has no room the lock is still one, without a name.
      file.replaceContent(with: holder.line)
      return .taken(file)
    }
    throw JournalError(.lock, directory.path + "/" + name, .missing)
  }

  /// - Returns: nil when it is not there.
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

  /// Makes the file, unless another does so first.
  private func make(for holder: LockHolder) throws(JournalError) {
    do throws(JournalError) {
      guard belongsToAll else {
        _ = try directory.create(name)
        return
      }
      // It appears with its final mode: another user must not meet it while only we may open it. The name is ours
      // alone, because run ids are.
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
