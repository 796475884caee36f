package worker

import (
	"context"

	"entrepot/internal/importer/fileimport"
	"entrepot/internal/jobs"
)

// How many jobs that read files, and that write them, a node runs at once: each keeps a core busy for a while.
const (
	filesAtOnce   = 2
	exportsAtOnce = 2
)

// fileJobs runs jobs that import files. Short jobs have workers of their own and do not wait for files.
func (w *Worker) fileJobs() {
	runner := &fileimport.Runner{Store: w.DB, Commerce: w.Commerce}
	w.runSome(filesAtOnce, func() (jobs.Job, bool, error) { return w.claimOne(jobs.NextDueOfFile, jobs.ClaimOfFile) }, func(job jobs.Job) {
		w.runHeld(job, func(ctx context.Context) error { return runner.Run(ctx, job, w.JobLease) })
	})
}

// exportJobs runs jobs that write files.
func (w *Worker) exportJobs() {
	w.runSome(exportsAtOnce, func() (jobs.Job, bool, error) { return w.claimOne(jobs.NextDueExport, jobs.ClaimExport) }, func(job jobs.Job) {
		w.runHeld(job, func(ctx context.Context) error { return w.Commerce.RunExport(ctx, w.DB, job, w.JobLease) })
	})
}
